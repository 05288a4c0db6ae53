import { describe, expect, it } from 'vitest';
import { parseReporter } from '../../../../src/testing/scenario/reporters/reporters.js';

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
