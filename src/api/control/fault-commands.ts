import { z } from 'zod';
import { faultInput } from '../../runtime/faults-api.js';
import { get, post, remove } from './command.js';

export const FAULTS = {
  faults: get('/faults', {
    summary: 'List active faults, with the number of calls that each one matched and fired on',
    run: (world) => ({ faults: world.faults.list() }),
  }),
  addFault: post('/faults', {
    summary: 'Inject a fault: which calls it matches, when it fires, in which phase, and with what effect',
    body: faultInput,
    run: (world, { body }) => world.faults.add(body),
  }),
  clearFault: remove('/faults/{id}', {
    summary: 'Remove a fault',
    run: (world, { id }) => {
      world.faults.clear(id);
      return { id, cleared: true };
    },
  }),
  clearFaults: post('/faults/clear', {
    summary: 'Remove all faults',
    destroys: true,
    body: z.strictObject({}),
    run: (world) => {
      world.faults.clear();
      return { cleared: true };
    },
  }),
};
