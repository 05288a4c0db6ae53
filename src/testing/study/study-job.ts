export const STUDY_RUN = 'study-run';

/** The argument of a job that plays a run. */
export interface StudyJob {
  /** Key of the plan among the shared values of jobs. */
  readonly study: string;
  readonly run: number;
}
