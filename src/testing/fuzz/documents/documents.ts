import { isObject } from '../../../core/json.js';
import type { Answer, ApiCall, ModelConfig } from '../model/types.js';
import { statusOf } from '../model/verdict.js';
import { type FuzzWorld, type PublishedDocument, UNKNOWN_PATH } from '../world.js';
import { Description, type OpenApi } from './openapi.js';

/** What documents say of a world, whatever else they contain. */
function factsOf({ treasury, network, usdcMint, receiptIssuer }: ModelConfig): Record<string, string> {
  return { treasury_address: treasury, network, usdc_mint: usdcMint, receipt_issuer: receiptIssuer };
}

/** The first place of a document where nothing is said. */
function emptyIn(value: unknown, path: string): string | null {
  if (value === '' || value === null) return path;
  if (typeof value !== 'object') return null;
  const members = Object.entries(value);
  if (members.length === 0) return path;
  for (const [name, member] of members) {
    const empty = emptyIn(member, `${path}.${name}`);
    if (empty !== null) return empty;
  }
  return null;
}

const EMPTY_ELEMENT = /<(h1|h2|dt|dd|a|td|th|li|code|title|p|pre|dl|ol|tr)\b[^>]*>\s*<\/\1>/;

/** How a document is no answer of a content type; null if it is. */
function flawOfType(name: string, { status, type }: PublishedDocument, expected: string): string | null {
  if (status !== 200) return `${name} is answered with ${status}`;
  return type.startsWith(expected) ? null : `${name} is ${type}`;
}

function flawOfPage(name: string, page: PublishedDocument, contains: readonly string[]): string | null {
  const untrue = flawOfType(name, page, 'text/html');
  if (untrue !== null) return untrue;
  const empty = EMPTY_ELEMENT.exec(page.text)?.[0];
  if (empty !== undefined) return `${name} has an empty element: ${empty}`;
  return lacking(name, page, contains);
}

function percentText(share: number): string {
  return `${Number((100 * share).toFixed(4))} %`;
}

function baseUrlIn({ text }: PublishedDocument): string {
  const { baseUrl } = JSON.parse(text) as { baseUrl?: unknown };
  return String(baseUrl);
}

/** How long a token is good for, as documents write it. */
function lifetimeText(seconds: number): string {
  return seconds % 3_600 === 0 ? `${seconds / 3_600} hours` : `${seconds} seconds`;
}

/** What the guide for new agents says in words. */
function wordsOf({ treasury, usdcMint, limits }: ModelConfig, baseUrl: string): string[] {
  const { maxLtv, collateralApr, dailyWithdrawalUsd } = limits;
  return [
    baseUrl,
    treasury,
    usdcMint,
    percentText(maxLtv),
    percentText(collateralApr),
    `${dailyWithdrawalUsd} USD`,
  ];
}

function lacking(name: string, { text }: PublishedDocument, words: readonly string[]): string | null {
  const missing = words.find((word) => !text.includes(word));
  return missing === undefined ? null : `${name} does not say ${missing}`;
}

function flawOfJson(
  name: string,
  document: PublishedDocument,
  facts: Record<string, unknown>,
): string | null {
  const untrue = flawOfType(name, document, 'application/json');
  if (untrue !== null) return untrue;
  const given = JSON.parse(document.text) as Record<string, unknown>;
  const empty = emptyIn(given, name);
  if (empty !== null) return `${empty} says nothing`;
  for (const [fact, value] of Object.entries(facts))
    if (JSON.stringify(given[fact]) !== JSON.stringify(value))
      return `${name}.${fact} is ${JSON.stringify(given[fact])}, and ${JSON.stringify(value)} is right`;
  return null;
}

/** How a path that no operation has is refused otherwise than the table of codes says. */
function flawOfUnknownPath({ status, text }: PublishedDocument, { variants }: ModelConfig): string | null {
  const { not_found: expected = statusOf('not_found') } = variants.errorStatus as { not_found?: number };
  const { code, details } = JSON.parse(text) as { code?: unknown; details?: unknown };
  const { method, path } = isObject(details) ? details : {};
  if (status === expected && code === 'not_found' && method === 'GET' && String(path).endsWith(UNKNOWN_PATH))
    return null;
  return `an unknown path is answered with ${status}: ${text}`;
}

/** Operations that a list of documents by area names, as methods and paths. */
function listedIn(text: string): string[] {
  const { endpoints } = JSON.parse(text) as { endpoints?: unknown };
  const lists = isObject(endpoints) ? Object.values(endpoints) : [];
  return lists
    .flat()
    .map((each) => (isObject(each) ? `${String(each['method'])} ${String(each['path'])}` : ''))
    .toSorted();
}

/** What the service publishes of itself. */
export interface Published {
  readonly description: Description;
  /** What is wrong with its documents; null for nothing. */
  readonly flaw: string | null;
}

export async function documentsOf(world: FuzzWorld): Promise<Published> {
  const { modelConfig } = world;
  const openapi = await world.document('openapi.json');
  const description = new Description(JSON.parse(openapi.text) as OpenApi);
  const facts = factsOf(modelConfig);
  const docs = await world.document('docs');
  const onboard = await world.document('onboard');
  const texts = Object.values(facts);
  const listed = JSON.stringify(description.listed) === JSON.stringify(listedIn(docs.text));
  const flaw =
    flawOfType('openapi.json', openapi, 'application/json') ??
    description.gap() ??
    flawOfJson('docs', docs, { ...facts, limits: modelConfig.limits }) ??
    (listed ? null : 'docs and openapi.json list other operations') ??
    lacking('docs', docs, [`JWT, ${lifetimeText(modelConfig.limits.tokenSeconds)}"`]) ??
    flawOfJson('agent.json', await world.document('agent.json'), facts) ??
    flawOfJson('onboard', onboard, {}) ??
    lacking('onboard', onboard, wordsOf(modelConfig, baseUrlIn(docs))) ??
    flawOfPage('the page of docs', await world.document('docs page'), [
      ...texts,
      ...description.listed.map(pathOf),
    ]) ??
    flawOfUnknownPath(await world.document('unknown path'), modelConfig);
  return { description, flaw };
}

function pathOf(listed: string): string {
  return listed.slice(listed.indexOf(' ') + 1);
}

/** By what documents depend on: a process opens many worlds of few configurations. */
const KNOWN_LIMIT = 100;
const known = new Map<string, Promise<Published>>();
/** The same by worlds, for each of their answers. */
const ofWorlds = new WeakMap<ModelConfig, Promise<Published>>();

function published(world: FuzzWorld): Promise<Published> {
  const { variants, limits, ...config } = world.modelConfig;
  const key = JSON.stringify([variants, limits, factsOf({ variants, limits, ...config })]);
  if (known.size >= KNOWN_LIMIT) known.clear();
  const documents = known.get(key) ?? documentsOf(world);
  known.set(key, documents);
  ofWorlds.set(world.modelConfig, documents);
  return documents;
}

/** How an answer contradicts what the service publishes of itself; null if it does not. */
export async function contradiction(world: FuzzWorld, call: ApiCall, answer: Answer): Promise<string | null> {
  const { description, flaw } = await (ofWorlds.get(world.modelConfig) ?? published(world));
  return flaw ?? description.contradiction(call, answer);
}
