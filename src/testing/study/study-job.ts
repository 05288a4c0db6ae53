export const STUDY_RUN = 'study-run';

export interface StudyJob {
  /** Key of the plan among the shared values of jobs. */
  readonly study: string;
  readonly run: number;
}
