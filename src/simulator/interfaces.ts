import type { ControlWorld } from '../api/control/world.js';
import { InProcessApi } from '../api/http/in-process.js';
import { Service } from '../api/http/service.js';
import type { AnsweredRequest, RequestRecord } from '../api/pipeline/pending-request.js';
import { RequestPipeline } from '../api/pipeline/pipeline.js';
import type { Composition } from './composition.js';
import { Gateway } from './gateway.js';
import { rpcCallOf } from './hooks.js';

/** Creates a world's interfaces: the in-process API, and the gateway to all others. */
export function interfacesOf(
  world: ControlWorld,
  parts: Composition,
): { readonly api: InProcessApi; readonly gateway: Gateway } {
  const { bank, config, facts, mount } = parts;
  const pipeline = pipelineOf(parts);
  const service = new Service({
    bank,
    variants: config.variants,
    limits: config.bankLimits,
    facts,
    pipeline,
  });
  const gateway = new Gateway({ ...parts, world, service, pipeline });
  return { api: new InProcessApi(service, mount), gateway };
}

function pipelineOf({
  config,
  scheduler,
  faults,
  recorder,
  events,
  instants,
  hooks,
  whenDurable,
}: Composition): RequestPipeline {
  return new RequestPipeline({
    scheduler,
    faults,
    recorder,
    keepsAnswers: config.history > 0,
    whenDurable,
    remember: (record) => instants.history.before(record),
    onAnswer: (record) => {
      if (!isObservation(record)) events.append(record, record.requestId);
      if (record.interface === 'api') hooks.onAnswer?.(record as AnsweredRequest);
      else if (record.interface === 'rpc') hooks.onRpcAnswer?.(rpcCallOf(record));
    },
    onBug: (error, where) => {
      if (hooks.onBug === undefined) console.error(`agent-bank-sim: bug in ${where}:`, error);
      else hooks.onBug(error, where);
    },
  });
}

/** Whether a request only inspects the world. Such requests are not logged, since reading the log would fill it. */
function isObservation(record: RequestRecord): boolean {
  return record.interface === 'control' && record.method === 'GET' && record.code === null;
}
