export const STUDY_RUN = 'study-run';

/** The argument of a job that plays a run. */
export interface StudyJob {
  /** Key of the plan among what jobs share. */
  readonly study: string;
  readonly run: number;
}
