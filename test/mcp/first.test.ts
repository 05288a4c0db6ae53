import { expect, it } from 'vitest';
import { world } from '../support/world.js';
import { ERAS, inProcess, overHttp, tell } from './support.js';

it.each(ERAS)('over http %s', async (era) => {
  const sim = await world();
  const { origin } = await sim.listen();
  const client = await overHttp(`${origin}/mcp?world=true`, era);
  const { tools } = await client.listTools();
  console.log(tools.map(({ name }) => name).join(' '));
  for (const name of ['account', 'wallet_balance', 'world_time', 'loans', 'profile', 'yield_rates', 'onboard'])
  { const t = await tell(client, name); console.log(name, t.isError, t.text.slice(0, 200)); }
  console.log(await tell(client, 'savings_deposit', { amount: 5, token: 'USDC' }));
  console.log((await client.listResources()).resources.map(r => r.uri));
  console.log(JSON.stringify(tools.slice(0,3), null, 1));
});
it('in process', async () => {
  const sim = await world();
  const client = await inProcess(sim);
  console.log(await tell(client, 'account'));
});
