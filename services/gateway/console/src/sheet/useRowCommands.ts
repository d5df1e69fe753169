/** What somebody does with whole rows, and what they are told about it. */
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useProblemText } from '../ui/states';
import { remove, submit, withdraw } from './commands';
import type { Engine } from './engine';
import { empty, type Row } from './store';

interface RowCommands {
  undo: () => void;
  submit: (rows: Row[]) => Promise<void>;
  /** Asks before it deletes what is saved; reports whether that was agreed to. */
  remove: (rows: Row[]) => Promise<boolean>;
  withdraw: (row: Row) => Promise<void>;
}

export function useRowCommands(engine: Engine): RowCommands {
  const { t } = useTranslation();
  const text = useProblemText();
  useEffect(() => {
    engine.onStuck = (why) =>
      notifications.show({ color: 'orange', message: `${t('sheet.stuck')} ${why}`.trim(), autoClose: 12_000 });
  }, [engine, t]);
  const tell = (message: string, color = 'red'): void => void notifications.show({ color, message });
  const told = (work: Promise<void>): Promise<void> => work.catch((cause: Error) => tell(text(cause)));
  const sent = async (rows: Row[]): Promise<void> => {
    const { done, refused } = await submit(engine, rows);
    if (done > 0) notifications.show({ message: t('sheet.submitted', { count: done }) });
    if (refused.length > 0) tell(`${t('sheet.notSubmitted', { count: refused.length })} ${refused[0]}`);
  };
  const deleted = async (rows: Row[]): Promise<void> => {
    const [refused] = await remove(engine, rows);
    if (refused !== undefined) tell(refused);
  };
  return {
    undo: () => {
      const [stuck] = engine.store.undo();
      if (stuck) tell(t('sheet.cannotUndo', { status: t(`status.${stuck.status}`) }), 'orange');
    },
    submit: (rows) => told(sent(rows)),
    remove: async (rows) => {
      const count = rows.filter((r) => !empty(r)).length;
      if (rows.some((r) => r.id) && !window.confirm(t('sheet.confirmDelete', { count }))) return false;
      await told(deleted(rows));
      return true;
    },
    withdraw: (row) => told(withdraw(engine, row)),
  };
}
