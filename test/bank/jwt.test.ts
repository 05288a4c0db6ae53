import { SignJWT, jwtVerify } from 'jose';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimsOf, tokenOf } from '../../src/bank/jwt.js';
import { world } from '../support/world.js';
import { forAllAsync } from '../support/for-all.js';

const SECRET = Buffer.from('0123456789abcdef0123456789abcdef');

describe('bearer token', () => {
  it('equals the JWT that jose creates, and verifies with jose', async () => {
    const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
    const words = fc.string({ minLength: 1, unit: 'binary' });
    await forAllAsync(100, words, words, seconds, async (sub, jti, iat) => {
      const claims = { sub, jti, iat, exp: iat + 86_400 };
      const token = tokenOf(claims, SECRET);
      expect(token).toBe(
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(SECRET),
      );
      const { payload } = await jwtVerify(token, SECRET, { currentDate: new Date(iat * 1_000) });
      expect(payload).toEqual(claims);
    });
  });

  it('has claims for its own secret and to the letter only', () => {
    const claims = { sub: 'ann', jti: 'é', iat: 1, exp: 2 };
    const token = tokenOf(claims, SECRET);
    const [header = '', body = '', signature = ''] = token.split('.');
    expect(claimsOf(token, SECRET)).toEqual(claims);
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    // The last character of 32 bytes has two bits that mean nothing.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const respelled = `${signature.slice(0, -1)}${alphabet[alphabet.indexOf(signature.at(-1) ?? '') + 1]}`;
    expect(Buffer.from(respelled, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    for (const other of [
      '',
      '.',
      '..',
      `${token}.`,
      `${token}.x`,
      `${header}.${body}.`,
      `${header}..${signature}`,
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${token}é`,
      `${token}=`,
      `${header}=.${body}.${signature}`,
      `${header}.${body}.${respelled}`,
      `${header}.${'A'.repeat(1e6)}.${signature}`,
    ])
      expect(claimsOf(other, SECRET), other.slice(0, 200)).toBeNull();
    expect(claimsOf(tokenOf(claims, Buffer.alloc(32)), SECRET)).toBeNull();
  });

  it('is issued in the order of concurrent sign-ins', async () => {
    const order = async () => {
      const sim = await world();
      const done: string[] = [];
      const agents = sim.wallets.map((_, at) => sim.agent(at));
      await Promise.all(
        agents.map(async (agent, at) => {
          await agent.signIn();
          done.push(String(at));
          await agent.account();
          done.push(`${at} again`);
        }),
      );
      return done;
    };
    const first = await order();
    for (let round = 0; round < 5; round += 1) expect(await order()).toEqual(first);
  });
});
