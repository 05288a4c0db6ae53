import type { FailureFile } from '../failure/failure-file.js';
import type { FuzzTarget } from '../world.js';
import { Campaign, type CampaignFind, type CampaignOptions, type Progress } from './campaign.js';
import { Finds } from './finds.js';
import { type RefineOptions, refined } from './refine.js';
import { type Summary, findsOf } from './summary.js';

/** Resolved options of a whole campaign, including shrinking. */
export interface WholeCampaign
  extends Omit<CampaignOptions, 'commands' | 'rules' | 'onFound'>, RefineOptions {
  /** Ends after so many counterexamples. */
  readonly maxFinds: number;
  /** Kinds of failures that are no findings, in full or by their beginnings. */
  readonly ignored: readonly string[];
  /** Counterexamples that need not be found again. */
  readonly known: readonly FailureFile[];
  /** Called when a failure is found, before shrinking. */
  readonly onFound: (found: CampaignFind) => void;
  /** Called with each new counterexample. */
  readonly onKept: (file: FailureFile) => void | Promise<void>;
}

/**
 * Runs a campaign. A failure is shrunk, its numbers are rounded, and it is replayed; then the campaign goes on. Rejects with errors of the
 * world itself.
 */
export async function runCampaign(target: FuzzTarget, campaign: WholeCampaign): Promise<Summary> {
  const { checkSuite, now, property, seed, maxFinds } = campaign;
  const begunMs = now();
  const { makeModel, rules, commands } = checkSuite;
  const { earlier } = campaign;
  const before = earlier === null ? [] : findsOf(earlier);
  const finds = new Finds({ ignored: campaign.ignored, known: [...campaign.known, ...before] });
  const goOn = async (progress: Progress) => {
    await campaign.pause();
    return campaign.goOn(progress);
  };
  const onFound = async (found: CampaignFind) => {
    if (!finds.isWanted(found.failure)) return true;
    campaign.onFound(found);
    const file = await refined(found, target, campaign);
    if (finds.add(file)) await campaign.onKept(file);
    return before.length + finds.files.length < maxFinds;
  };
  const options = { ...campaign, commands, rules, goOn, onFound };
  const { coverage, goals, outcomes, corpus, runs, steps, next } = await new Campaign(
    target,
    makeModel,
    options,
  ).run();
  const [found = null, ...alsoFound] = [...before, ...finds.files];
  return {
    property,
    seed,
    next,
    runs,
    steps,
    seconds: (now() - begunMs) / 1_000 + (earlier?.seconds ?? 0),
    coverage: coverage.counts(),
    discoveries: coverage.discoveries(),
    goals: goals.counts(),
    approaches: goals.approaches(),
    outcomes: Object.fromEntries([...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    found,
    alsoFound,
    repeats: finds.repeats + (earlier?.repeats ?? 0),
    corpus,
  };
}
