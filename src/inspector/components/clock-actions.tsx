import { useState } from 'preact/hooks';
import type { Answer, Ask } from '../control/client.js';
import { useSession } from '../session.js';
import { countText, instantText } from '../text/format.js';
import { Dialog, DialogButton, Form, Input, Select } from './form.js';

/** Events that a jump can stop at. */
const UNTIL = [
  'loan.due',
  'loan.charged',
  'loan.defaulted',
  'loan.set_off',
  'collateral.liquidated',
  'review.decided',
  'withdrawal.completed',
  'withdrawal.failed',
  'savings.settled',
  'yield.changed',
  'price.changed',
  'transaction.arrived',
  'transaction.confirmed',
  'transaction.expired',
] as const;

function outcome({ now, fired, reached }: Answer<'advance'>): string {
  const text = `It is ${instantText(now)}; ${countText(fired.length)} ${fired.length === 1 ? 'event' : 'events'} became due.`;
  return reached ? text : `${text} The awaited one did not.`;
}

const QUICK = ['1h', '1d', '7d', '30d'] as const;

/** Moves the clock forward. */
function Advance() {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  const advance = (body: NonNullable<Ask<'advance'>['body']>) => {
    setOpen(false);
    void session.act(() => session.control.do('advance', { body }), outcome);
  };
  return (
    <>
      <button type="button" class="primary" onClick={() => setOpen(true)}>
        Advance
      </button>
      <Dialog title="Advance the clock" isOpen={isOpen} onClose={() => setOpen(false)}>
        <div class="form">
          <Form class="form inline" label="By a duration" onSubmit={({ by = '' }) => advance({ by })}>
            <Input label="By" name="by" value="30d" hint="90s, 1h30m, 30d, 2w, 1y" isRequired />
            <button type="submit" class="primary">
              Advance by
            </button>
          </Form>
          <div class="chips">
            {QUICK.map((by) => (
              <button key={by} type="button" class="chip" onClick={() => advance({ by })}>
                {by}
              </button>
            ))}
          </div>
          <Form class="form inline" label="To an instant" onSubmit={({ to = '' }) => advance({ to })}>
            <Input
              label="To"
              name="to"
              value={session.clock.value?.now ?? ''}
              hint="ISO 8601 with time zone"
              isRequired
            />
            <button type="submit">Advance to</button>
          </Form>
          <Form
            class="form inline"
            label="Until an event"
            onSubmit={({ until, within = '' }) =>
              advance({ until: until as (typeof UNTIL)[number], ...(within === '' ? {} : { within }) })
            }
          >
            <Select label="Until" name="until" options={UNTIL} />
            <Input label="Within" name="within" placeholder="10y" />
            <button type="submit">Advance until</button>
          </Form>
          <div class="actions end">
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </div>
      </Dialog>
    </>
  );
}

/** Stops, starts and moves the clock. */
export function ClockActions() {
  const session = useSession();
  const { control } = session;
  const mode = session.clock.value?.mode;
  return (
    <>
      <button
        type="button"
        disabled={mode === 'frozen'}
        onClick={() => void session.act(() => control.do('freeze'), 'The clock stands still.')}
      >
        Freeze
      </button>
      <button
        type="button"
        disabled={mode === 'real'}
        onClick={() => void session.act(() => control.do('run'), 'The clock runs.')}
      >
        Run
      </button>
      <DialogButton
        name="Scale"
        title="Run the clock faster"
        submit="Set scale"
        onSubmit={({ factor }) =>
          void session.act(
            () => control.do('scale', { body: { factor: Number(factor) } }),
            `The clock runs ${factor ?? ''} times as fast.`,
          )
        }
      >
        <Input label="Factor" name="factor" type="number" value="60" isRequired />
      </DialogButton>
      <Advance />
    </>
  );
}
