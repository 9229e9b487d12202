import type { OrganizationView } from '../../../src/api/contract.js';
import { getJson } from '../api.js';
import { usd } from '../format.js';
import { ErrorNotice, Tile, Tiles } from '../ui/parts.js';
import { useLoad } from '../use-load.js';

/** The balance of an organization. */
export function Balance({ organization }: { organization: string }) {
  const path = `organizations/${encodeURIComponent(organization)}`;
  const { data, error, reload } = useLoad(path, () => getJson<OrganizationView>(path));
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data !== undefined && <BalanceTiles organization={data} />}
    </>
  );
}

export function BalanceTiles({ organization }: { organization: OrganizationView }) {
  const { balance, held, credits, usage, operator_pays } = organization;
  return (
    <Tiles>
      {operator_pays ? (
        <Tile name="Balance" note="calls need no credits">
          operator pays
        </Tile>
      ) : (
        <Tile name="Balance" note="granted − used">
          <span class={balance.startsWith('-') ? 'bad' : undefined}>{usd(balance)}</span>
        </Tile>
      )}
      <Tile name="Held" note="for requests in flight">
        {usd(held)}
      </Tile>
      <Tile name="Granted">{usd(credits)}</Tile>
      <Tile name="Used">{usd(usage)}</Tile>
    </Tiles>
  );
}
