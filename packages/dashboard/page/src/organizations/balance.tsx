import type { OrganizationView } from '../../../src/api/contract.js';
import { Money, Tile, Tiles } from '../ui/parts.js';

/** The money of an organization. */
export function BalanceTiles({ organization }: { organization: OrganizationView }) {
  const { balance, held, credits, usage, spent_this_month, operator_pays } = organization;
  return (
    <Tiles>
      {operator_pays ? (
        <Tile name="Balance" note="calls need no credits">
          operator pays
        </Tile>
      ) : (
        <Tile name="Balance" note={balance.startsWith('-') ? 'overdrawn: calls are refused' : 'granted − used'}>
          <Money amount={balance} />
        </Tile>
      )}
      <Tile name="This month" note="since its first day">
        <Money amount={spent_this_month} />
      </Tile>
      <Tile name="Held" note="for requests in flight">
        <Money amount={held} />
      </Tile>
      <Tile name="Granted" note="in all">
        <Money amount={credits} />
      </Tile>
      <Tile name="Used" note="in all">
        <Money amount={usage} />
      </Tile>
    </Tiles>
  );
}
