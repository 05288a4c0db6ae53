import { endpoints } from '../../contract/endpoints.js';
import { DEFAULT_VARIANTS } from '../../core/domain/variants.js';
import { EVENT_KINDS } from '../../runtime/due-runner.js';
import { PHASES_OF } from '../../runtime/faults/fault-rules.js';
import { COMMANDS, type CommandId } from './commands.js';

type Route = Pick<(typeof COMMANDS)[CommandId], 'method' | 'path'>;

const routes = Object.entries(COMMANDS).map(([id, { method, path }]) => [id, { method, path }]);

/**
 * Method and path of each command. The build puts this module's values into the inspector, which imports no other module of the package.
 */
export const ROUTES = Object.fromEntries(routes) as Readonly<Record<CommandId, Route>>;
/** The operations of the API that a fault can be injected into. */
export const OPERATIONS = Object.keys(endpoints(DEFAULT_VARIANTS));
export { EVENT_KINDS, PHASES_OF };
