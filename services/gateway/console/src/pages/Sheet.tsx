import { Alert, Anchor, Box, NativeSelect, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconLock } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { useRecordTypes } from '../api/types';
import { number } from '../format';
import { named } from '../i18n/fields';
import { useSession } from '../session';
import { BottomBar } from '../sheet/BottomBar';
import { type Column, columnsOf, namesIn, type TypeInfo } from '../sheet/columns';
import { hold } from '../sheet/drafts';
import { Engine } from '../sheet/engine';
import { Grid } from '../sheet/Grid';
import { PrintedRows } from '../sheet/PrintedRows';
import { Returned } from '../sheet/Returned';
import { RowForm } from '../sheet/RowForm';
import { Store } from '../sheet/store';
import { Loading, Problem } from '../ui/states';
import { isClosed, useEvent } from './Event';

export function SheetPage(): ReactNode {
  const { eventId, query } = useEvent();
  const types = useRecordTypes();
  const { scope } = useSession();
  const infos = useMemo(
    () =>
      types.data?.items.map((x): TypeInfo => {
        const columns = columnsOf(x.schema);
        return { type: x.type, formula: named(x.formula, namesIn(columns)), description: x.description, columns };
      }),
    [types.data],
  );
  if (types.isLoadingError) return <Problem error={types.error} retry={() => void types.refetch()} />;
  if (!infos) return <Loading />;
  return <Sheet key={`${scope}:${eventId}`} eventId={eventId} infos={infos} event={query.data?.data} />;
}

interface Props {
  eventId: string;
  infos: TypeInfo[];
  event: Schemas['Event'] | undefined;
}

function Sheet({ eventId, infos, event }: Props): ReactNode {
  const { t } = useTranslation();
  const { can, me, scope } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  const search = useSearch({ from: '/events/$eventId/sheet' });
  /** A dialog of the grid is open: it would go with the grid if the window became narrow. */
  const [occupied, setOccupied] = useState(false);
  /** In the bar at the foot: where the next step of the row on a phone stands. */
  const [slot, setSlot] = useState<HTMLDivElement | null>(null);
  const phone = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  const narrow = phone && !occupied;
  const [failed, setFailed] = useState<Error | null>(null);
  const [ready, setReady] = useState(false);
  /** How often a record was asked for here: each time the rows begin at it anew. */
  const [asked, setAsked] = useState(0);

  // Another language names the same columns otherwise; the rows stay with their engine.
  const columnsOfType = useRef(new Map<string, Column[]>());
  columnsOfType.current = useMemo(() => new Map(infos.map((i) => [i.type, i.columns])), [infos]);
  const [engine] = useState(() => {
    const store = new Store((type) => columnsOfType.current.get(type) ?? [], me._id);
    return new Engine(
      store,
      eventId,
      scope,
      infos.map((i) => i.type),
    );
  });
  const { store } = engine;
  useSyncExternalStore(store.subscribe, store.snapshot);
  const writer = can('user');
  const closed = event !== undefined && isClosed(event);
  useEffect(() => {
    store.readOnly = closed || !writer;
    store.changed();
    // The event may have been signed or reopened while rows were open here.
    if (!store.readOnly) engine.schedule(0);
  }, [closed, engine, store, writer]);

  const started = useRef<Engine | null>(null);
  const begin = useRef(() => {});
  begin.current = () => {
    setFailed(null);
    engine.start().then(
      () => {
        setReady(true);
        if (writer) engine.sums.start();
      },
      (cause: Error) => setFailed(cause),
    );
  };
  useEffect(() => {
    if (started.current !== engine) {
      started.current = engine;
      begin.current();
    }
    engine.onSaved = () => {
      for (const key of ['result', 'preview', 'event']) void client.invalidateQueries({ queryKey: [key, eventId] });
    };
    const release = hold(engine);
    // What is being typed into a cell is entered before the sheet is left: neither a reload nor Back takes the focus.
    const enter = (): void => document.querySelector<HTMLElement>('.celleditor')?.blur();
    const left = router.subscribe('onBeforeNavigate', ({ hrefChanged }) => hrefChanged && enter());
    const leave = (): void => {
      enter();
      engine.leave();
    };
    const resume = (): void => engine.schedule(0);
    const back = (): void => {
      if (document.visibilityState === 'visible') void engine.reload().catch(() => {});
      else engine.leave();
    };
    window.addEventListener('pagehide', leave);
    window.addEventListener('online', resume);
    window.addEventListener('ecf-signed-in', resume);
    document.addEventListener('visibilitychange', back);
    return () => {
      release();
      left();
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('online', resume);
      window.removeEventListener('ecf-signed-in', resume);
      document.removeEventListener('visibilitychange', back);
      engine.leave();
      engine.finish();
    };
  }, [client, engine, eventId, router]);

  const type =
    search.type && infos.some((i) => i.type === search.type)
      ? search.type
      : search.type === 'all'
        ? 'all'
        : (infos[0]?.type ?? 'all');
  const tabs = useRef<HTMLDivElement>(null);
  useEffect(() => {
    tabs.current?.querySelector(`#tab-${type}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  const counts = new Map<string, number>();
  for (const r of store.rows) counts.set(r.type, (counts.get(r.type) ?? 0) + 1);
  const kinds = ['all', ...infos.map((i) => i.type)];
  const nameOf = (x: string): string =>
    x === 'all' ? t('sheet.all') : t(`type.${x as 'flights'}`, { defaultValue: x });
  const countOf = (x: string): string => {
    const count = (x === 'all' ? store.rows.length : counts.get(x)) ?? 0;
    return count > 0 ? number(count) : '';
  };
  const show = (type: string, record: string): void => {
    setAsked((n) => n + 1);
    void navigate({ to: '.', search: { type, record }, replace: true });
  };
  const choose = (x: string): void => void navigate({ to: '.', search: { type: x }, replace: true });

  const focus = search.record ? { focus: search.record } : {};
  const at = [type, search.record, asked].join(':');

  if (failed)
    return (
      <Box p="md">
        <Problem error={failed} retry={() => begin.current()} />
      </Box>
    );
  if (!ready) return <Loading />;
  return (
    <div className="sheet">
      {closed && (
        <Alert className="eventnote" py={6} color="teal" role="status" icon={<IconLock size={16} aria-hidden />}>
          {t('sign.sheet')}{' '}
          <Anchor component={Link} to={`/events/${eventId}/report`} size="sm">
            {t('place.report')}
          </Anchor>
        </Alert>
      )}
      <Returned store={store} record={search.record} show={show} />
      {narrow ? (
        <NativeSelect
          className="typechoice"
          aria-label={t('sheet.types')}
          value={type}
          onChange={(e) => choose(e.currentTarget.value)}
          data={kinds.map((x) => ({ value: x, label: `${nameOf(x)}${countOf(x) ? ` (${countOf(x)})` : ''}` }))}
        />
      ) : (
        <div className="typetabs" role="tablist" aria-label={t('sheet.types')} ref={tabs}>
          {kinds.map((x) => (
            <button
              key={x}
              type="button"
              role="tab"
              id={`tab-${x}`}
              aria-selected={x === type}
              aria-controls="sheet-panel"
              tabIndex={x === type ? 0 : -1}
              className="typetab"
              onClick={() => choose(x)}
              onKeyDown={(e) => {
                if (e.key !== 'ArrowRight' && e.key !== 'ArrowLeft') return;
                const next = (
                  e.key === 'ArrowRight' ? e.currentTarget.nextElementSibling : e.currentTarget.previousElementSibling
                ) as HTMLElement | null;
                next?.focus();
                next?.click();
              }}
            >
              {nameOf(x)}
              <Text component="span" size="xs" c="dimmed" className="typecount">
                {countOf(x)}
              </Text>
            </button>
          ))}
        </div>
      )}
      <div
        id="sheet-panel"
        {...(narrow
          ? { role: 'region', 'aria-label': nameOf(type) }
          : { role: 'tabpanel', 'aria-labelledby': `tab-${type}` })}
        className="sheetpanel"
      >
        {narrow ? (
          <RowForm key={at} engine={engine} infos={infos} type={type} slot={slot} {...focus} />
        ) : (
          <Grid key={at} engine={engine} infos={infos} type={type} occupied={setOccupied} {...focus} />
        )}
      </div>
      <PrintedRows store={store} infos={infos} type={type} />
      <BottomBar engine={engine} slot={setSlot} />
    </div>
  );
}
