/** The form of an answer in JSON. */
export interface JsonFormat {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** A JSON Schema. */
  readonly schema: object;
  /** Whether the model must follow the schema to the letter. Default: as the vendor does. */
  readonly strict?: boolean | undefined;
}

/** The form of an answer. `jsonSchema` only with the type of its name. */
export type ResponseFormat = { readonly type: 'text' | 'json_schema'; readonly jsonSchema?: JsonFormat | undefined };
