import { useState } from 'preact/hooks';
import { EVENT_KINDS } from '../../api/control/names.js';
import type { Answer, Ask } from '../control/client.js';
import { useSession } from '../session.js';
import { countedText, instantText } from '../text/format.js';
import { Button } from './button.js';
import { CommandButton, CommandDialog } from './command.js';
import { Dialog, Form, Input, Select } from './form.js';

function outcome({ now, fired, reached }: Answer<'advance'>): string {
  const text = `It is ${instantText(now)}; ${countedText(fired.length, 'event')} occurred.`;
  return reached ? text : `${text} The awaited event did not occur.`;
}

const QUICK = ['1h', '1d', '7d', '30d'] as const;

function Advance() {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  const advance = (body: NonNullable<Ask<'advance'>['body']>) => {
    setOpen(false);
    void session.run('advance', { body }, outcome);
  };
  return (
    <>
      <Button name="Advance" class="primary" onClick={() => setOpen(true)} />
      {isOpen ? (
        <Dialog title="Advance the clock" onClose={() => setOpen(false)}>
          <Form class="line" label="By a duration" onSubmit={({ by = '' }) => advance({ by })}>
            <Input label="By" name="by" value="30d" hint="90s, 1h30m, 30d, 2w, 1y" isRequired />
            <Button name="Advance by" class="primary" />
          </Form>
          <div class="actions">
            {QUICK.map((by) => (
              <Button key={by} name={by} class="chip" onClick={() => advance({ by })} />
            ))}
          </div>
          <Form class="line" label="To an instant" onSubmit={({ to = '' }) => advance({ to })}>
            <Input
              label="To"
              name="to"
              value={session.clock.value?.now ?? ''}
              hint="ISO 8601 with time zone"
              isRequired
            />
            <Button name="Advance to" />
          </Form>
          <Form
            class="line"
            label="Until an event"
            onSubmit={({ until, within = '' }) =>
              advance({ until: until as (typeof EVENT_KINDS)[number], ...(within === '' ? {} : { within }) })
            }
          >
            <Select label="Until" name="until" options={EVENT_KINDS} />
            <Input label="Within" name="within" placeholder="10y" />
            <Button name="Advance until" />
          </Form>
          <div class="actions">
            <Button name="Cancel" onClick={() => setOpen(false)} />
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

/** Buttons that stop, run, scale and advance the clock. */
export function ClockActions() {
  const mode = useSession().clock.value?.mode;
  return (
    <>
      <CommandButton
        name="Freeze"
        command="freeze"
        done="The clock is frozen."
        isDisabled={mode === 'frozen'}
      />
      <CommandButton
        name="Run"
        command="run"
        done="The clock runs in real time."
        isDisabled={mode === 'real'}
      />
      <CommandDialog
        name="Scale"
        title="Run the clock faster"
        submit="Set scale"
        command="scale"
        ask={({ factor }) => ({ body: { factor: Number(factor) } })}
        done={({ factor }) => `The clock runs ${factor} times as fast.`}
      >
        <Input label="Factor" name="factor" type="number" value="60" isRequired />
      </CommandDialog>
      <Advance />
    </>
  );
}
