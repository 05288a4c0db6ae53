import { testsOf } from './vitest.config.js';

export default testsOf('slow');
