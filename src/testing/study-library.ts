export type { Entry } from '../core/domain/entry.js';
export type { Persona } from './personas.js';
export { METRICS, type MetricFacts, type MetricName } from './study/metric-names.js';
export type {
  StudyAction,
  StudyAgentView,
  StudyInstant,
  StudyMetric,
  StudyModule,
  StudyPersona,
} from './study/module.js';
export type { MetricRow, StudyFailure, StudyManifest, StudyPoint, StudyRun } from './study/results.js';
export type { StudyFile, StudyInput, SweptValue } from './study/schema.js';
export { readMetrics } from './study/write-metrics.js';
