import { scenario } from 'agent-bank-sim';

const BUYERS = ['ada', 'ben', 'cleo'];
const PRICE = 0.4;
const RESPONSES = 3;

export default scenario(
  'A service receives every payment of its buyers, to the base unit',
  {
    description:
      'Each of three agents buys three responses from one service. The seller saves its income, and the books account for all money.',
    tags: ['x402', 'services', 'script', 'x402.flow', 'x402.pay', 'x402.receive', 'savings.move'],
    agents: { seller: {} },
  },
  async ({ agent, sim, expect }) => {
    const seller = await agent('seller');
    await sim.service.open({ name: 'shop', seller: 'seller', price: PRICE });
    let served = 0;
    for (const name of BUYERS) {
      const buyer = await agent(name, { checking: { usdc: 2 } });
      for (let purchase = 0; purchase < RESPONSES; purchase += 1) {
        served += 1;
        await buyer.buy(
          { from: 'shop', path: `/reports/${purchase}`, maxAmount: PRICE },
          { expect: { status: 200, served, payer: buyer.address } },
        );
      }
      await buyer.account({}, { expect: { checking: { usdc: 0.8 } } });
    }
    const income = 3.6;
    const { checking } = await seller.account();
    expect(checking, { usdc: income, sol: 0 });
    await seller.savings.deposit({ amount: income, token: 'USDC' });
    const { transactions } = await seller.transactions({ type: 'x402_receive' });
    expect(transactions, { length: BUYERS.length * RESPONSES, each: { amount: PRICE, token: 'USDC' } });
    await sim.holds({
      journal: { checking: { USDC: 2.4 }, savings: { USDC: income }, uncollected: { USDC: 0 } },
    });
  },
);
