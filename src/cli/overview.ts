/** The output of `sim --help`: a screen of 24 rows and 80 columns. */
export const OVERVIEW = `sim <command>: simulates a bank for software agents on a local Solana chain

Serve a world:
  start, demo, mcp, inspect
Test an agent or the service:
  init, run, fuzz, replay, study
Test on many machines:
  worker, campaign
Change a running world:
  time, faucet, deposit, account, oracle, review, fault, record, control
Revert a world, or fork it:
  snapshot, revert, history, compare, fork, state
Read a running world:
  log, explain, journal, customers, customer, chain, series, verify, export

Start with one of these. sim <command> --help lists options and examples.
  sim demo    run one agent through all features, step by step
  sim start   serve the API, the chain and the inspector
  sim init    create a project with a scenario and an agent

Options: --help, --version
`;
