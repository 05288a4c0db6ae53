import { z } from 'zod';
import { BASE_PATH } from '../../contract/endpoints.js';
import { event, get, post, remove } from './command.js';
import { CONTROL_PATH } from './admission.js';
import type { ControlWorld } from './world.js';

function viewOf(world: ControlWorld, id: string, origin: string) {
  const mount = `/w/${id}`;
  const rpcUrl = world.rpcUrl();
  return {
    id,
    /** The fork that it was made from; null for the first world. */
    parent: world.parentOf(id),
    baseUrl: `${origin}${mount}${BASE_PATH}`,
    controlUrl: `${origin}${mount}${CONTROL_PATH}`,
    /** `null` when the RPC is not served. */
    rpcUrl: rpcUrl === null ? null : rpcUrl + mount,
  };
}

export const FORKS = {
  forks: get('/forks', {
    summary: 'List the forks of this world',
    run: (world, { origin }) => ({ forks: world.forks().map((id) => viewOf(world, id, origin)) }),
  }),
  fork: post('/forks', {
    summary: 'Fork the world at present, at a snapshot, or before a request; the fork has its own base URL',
    isGated: true,
    body: z.strictObject({
      snapshot: z.string().optional().describe('id of a snapshot'),
      before: event.optional(),
    }),
    run: async (world, { body: { snapshot, before }, origin }) => {
      if (snapshot !== undefined && before !== undefined)
        throw new RangeError('set a snapshot or a request, not both');
      const from = before === undefined ? snapshot : { before };
      return viewOf(world, (await world.openFork(from)).id, origin);
    },
  }),
  dropFork: remove('/forks/{id}', {
    summary: 'Delete a fork',
    isGated: true,
    run: async (world, { id }) => {
      await world.dropFork(id);
      return { id, dropped: true };
    },
  }),
};
