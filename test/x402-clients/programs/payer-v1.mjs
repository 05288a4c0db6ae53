// Pays by x402-fetch, version 1.
import { createSigner, wrapFetchWithPayment } from 'x402-fetch';
import { recorder, tellAnswer, told } from './tell.mjs';

const { url, rpcUrl, networkV1, secretKey } = told;
const signer = await createSigner(networkV1, secretKey);
const line = recorder();
const pay = wrapFetchWithPayment(line.fetch, signer, undefined, undefined, { svmConfig: { rpcUrl } });
await tellAnswer(await pay(url), line.recorded);
