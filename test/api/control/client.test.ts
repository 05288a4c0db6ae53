import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../../src/api/control/client.js';
import { AgentClient } from '../../../src/sdk/client/client.js';
import { KeyRing } from '../../../src/world/keys.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import { listening } from '../../support/listening.js';
import { controlOf, world } from '../../support/world.js';

/** A URL at which nothing listens any more. */
async function deadOrigin(): Promise<string> {
  const server = createServer();
  const port = await listening(server);
  await once(server.close(), 'close');
  return `http://127.0.0.1:${port}`;
}

describe('ControlClient.do', () => {
  it('refuses input that the command does not use, before it sends anything', async () => {
    const control = controlOf(await world());
    // @ts-expect-error -- members of the body beside it
    await expect(control.do('createWallet', { SOL: 1 })).rejects.toThrow(
      'createWallet takes body, signal, and not SOL; put members of the request in body',
    );
    // @ts-expect-error -- a command without a body
    await expect(control.do('wallets', { body: { SOL: 1 } })).rejects.toThrow('and not body');
    // @ts-expect-error -- a member that the body does not have
    await expect(control.do('createWallet', { body: { sol: 1 } })).rejects.toMatchObject({ status: 400 });
    // @ts-expect-error -- a command that does not exist
    await expect(control.do('createwallet')).rejects.toThrow('did you mean createWallet?');
    for (const body of [{}, { by: '1s', blocks: 3 }])
      await expect(control.do('advance', { body: body as never })).rejects.toThrow(
        'give one of by, to, until',
      );
    expect((await control.do('wallets')).wallets).toHaveLength(10);
  });
});

it('clients say where nothing listens', async () => {
  const origin = await deadOrigin();
  const sentence = `nothing listens at ${origin}; start a simulator with npx sim start`;
  await expect(new ControlClient({ origin }).do('wallets')).rejects.toThrow(sentence);
  const wallet = AgentWallet.fromSecretKey(new KeyRing('client').derive('agent').secretKey);
  await expect(new AgentClient({ baseUrl: `${origin}/api/v1`, wallet }).account()).rejects.toThrow(sentence);
});
