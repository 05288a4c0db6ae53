import { z } from 'zod';
import { faultInput } from '../../runtime/faults-api.js';
import { command } from './command.js';

/** Manages fault rules. */
export const FAULTS = {
  faults: command({
    method: 'GET',
    path: '/faults',
    summary: 'The faults in force, and how many calls each has looked at and struck',
    run: (world) => ({ faults: world.faults.list() }),
  }),
  addFault: command({
    method: 'POST',
    path: '/faults',
    summary: 'Let calls go wrong: which ones, when, in which phase, and how',
    body: faultInput,
    run: (world, { body }) => world.faults.add(body),
  }),
  clearFault: command({
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Take a fault out of force',
    run: (world, { id }) => {
      world.faults.clear(id);
      return { id, cleared: true };
    },
  }),
  clearFaults: command({
    method: 'POST',
    path: '/faults/clear',
    summary: 'Take all faults out of force',
    body: z.strictObject({}),
    run: (world) => {
      world.faults.clear();
      return { cleared: true };
    },
  }),
};
