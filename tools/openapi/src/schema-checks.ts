import assert from 'node:assert/strict';
import type { OpenApiDocument } from '@searchgate/core/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The schemas of a document, each found by a JSON pointer. */
export interface SchemaChecks {
  /** What is wrong with a value; empty where it is right. */
  faultsOf(pointer: string, value: unknown): readonly string[];
  /** @throws AssertionError */
  assertRight(pointer: string, value: unknown): void;
}

export function schemaChecks(document: OpenApiDocument): SchemaChecks {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  // The document is no schema itself: its parts are found in it by their places.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document, 'api', undefined, false);

  function faultsOf(pointer: string, value: unknown): readonly string[] {
    const validate = ajv.getSchema(`api#${pointer}`);
    assert.ok(validate, `no schema at ${pointer}`);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  }

  return {
    faultsOf,
    assertRight(pointer, value) {
      assert.deepEqual(faultsOf(pointer, value), [], `${JSON.stringify(value)} against ${pointer}`);
    },
  };
}
