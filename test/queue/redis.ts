import { RedisServer } from './redis-server.js';

/** Starts a Redis server for all tests, unless REDIS_URL names one. */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env['REDIS_URL'] !== undefined) return async () => undefined;
  const server = await RedisServer.start();
  process.env['REDIS_URL'] = server.url;
  return () => server.stop();
}
