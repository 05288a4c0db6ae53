import { expect, it } from 'vitest';
import { COMMANDS, type Command, type CommandId } from '../../../src/api/control/commands.js';
import { ROUTES } from '../../../src/inspector/control/commands.js';

it.each(Object.entries(ROUTES))('%s is sent as the control interface has it', (name, { method, path }) => {
  const command: Command = COMMANDS[name as CommandId];
  expect({ method, path }).toEqual({ method: command.method, path: command.path });
});
