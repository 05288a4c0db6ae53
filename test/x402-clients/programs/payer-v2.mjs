// Pays by @x402/fetch.
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { recorder, tellAnswer, told } from './tell.mjs';

const { url, rpcUrl, network, secretKey } = told;
const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(secretKey));
const client = new x402Client().register(network, new ExactSvmScheme(signer, { rpcUrl }));
const line = recorder();
await tellAnswer(await wrapFetchWithPayment(line.fetch, client)(url), line.recorded);
