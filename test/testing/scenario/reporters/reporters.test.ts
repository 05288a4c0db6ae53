import { describe, expect, it } from 'vitest';
import {
  parseReporter,
  type ReporterName,
  REPORTERS,
} from '../../../../src/testing/scenario/reporters/reporters.js';
import { reported } from './sample.js';

const BEGINNINGS: Readonly<Record<ReporterName, string>> = {
  pretty: '3 scenarios in this process',
  junit: '<?xml ',
  json: '{"kind":"begin"',
  github: '::error ',
  html: '<!DOCTYPE html>',
};

describe('reporter by name', () => {
  it.each(Object.keys(REPORTERS) as ReporterName[])('writes its own format: %s', (name) => {
    expect(reported((sink) => REPORTERS[name](sink, null)).startsWith(BEGINNINGS[name])).toBe(true);
  });
});

describe('reporter option', () => {
  it('is a name, or a name and a file', () => {
    expect(parseReporter('pretty')).toEqual({ name: 'pretty', file: null });
    expect(parseReporter('junit:out/report.xml')).toEqual({ name: 'junit', file: 'out/report.xml' });
    expect(parseReporter('json:a:b')).toEqual({ name: 'json', file: 'a:b' });
  });

  it('is rejected with an unknown name or an empty file name', () => {
    expect(() => parseReporter('tap')).toThrow(
      'there is no reporter "tap"; there are pretty, junit, json, github, html',
    );
    expect(() => parseReporter('constructor')).toThrow(RangeError);
    expect(() => parseReporter('html:')).toThrow(
      'the reporter "html:" needs a file: write html or html:FILE',
    );
  });
});
