import { Box, Button, Group, NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, errorOf, type Schemas } from '../api/client';
import { saveFile, workbook } from '../api/download';
import { resultQuery, untilCurrent } from '../api/result';
import { co2e, exact, range, time } from '../format';
import { Sign } from '../governed/Sign';
import { actorName } from '../i18n/actor';
import { Loading, Problem } from '../ui/states';
import { NothingYet, useEvent } from './Event';

export function ReportPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId, query } = useEvent();
  const result = useQuery({ ...resultQuery(eventId), ...untilCurrent });
  if (result.isPending)
    return (
      <Box p="md">
        <Skeleton h={400} />
      </Box>
    );
  if (result.isLoadingError)
    return (
      <Box p="md" maw={800} mx="auto">
        <Problem error={result.error} retry={() => void result.refetch()} />
      </Box>
    );
  const r = result.data;
  const event = query.data;
  if (!r || !event)
    return (
      <NothingYet title={t('report.none')} eventId={eventId} event={event?.data}>
        {t('report.noneText')}
      </NothingYet>
    );
  return <Report event={event.data} tag={event.tag} result={r} />;
}

/** The report with its checklist; the newest, or a signed edition. */
function Report({ event, tag, result: r }: { event: Schemas['Event']; tag: string; result: Schemas['Result'] }) {
  const { t, i18n } = useTranslation();
  const language = i18n.resolvedLanguage ?? 'en';
  const frame = useRef<HTMLIFrameElement>(null);
  const [shown, setShown] = useState({ page: '', language });
  const editions = event.signOff?.editions ?? [];
  const signed = event.signOff?.state === 'signed' ? editions.at(-1) : undefined;
  const [chosen, setChosen] = useState<number | null>(null);
  const edition = chosen === 0 ? undefined : (editions.find((e) => e.edition === chosen) ?? signed);
  const revision = edition?.revision ?? r.revision;
  const address = `/session/api/events/${event._id}/results/${edition ? `${edition.revision}/` : ''}report`;
  // The page is in the language of the console, whatever the browser prefers.
  const translated = `${address}?lang=${language}`;
  const page = `${translated} ${revision}`;
  const name = `${event.title.replace(/[^\p{L}\p{N}]+/gu, '-')}-${revision}`;
  return (
    <div className="reportpage">
      <Stack className="reportside" gap="md">
        <div>
          <Text size="xl" fw={650} className="figure" title={exact(r.total.kgCO2e)}>
            {co2e(r.total.kgCO2e)}
          </Text>
          <Text size="sm" c="dimmed" className="figure">
            {range(r.total.low, r.total.high, r.total.kgCO2e)} · {t('foot.revision', { n: r.revision })}
          </Text>
        </div>
        <Sign event={event} tag={tag} result={r} />
        {editions.length > 0 && (
          <NativeSelect
            size="xs"
            label={t('sign.shown')}
            value={String(edition?.edition ?? 0)}
            onChange={(e) => setChosen(Number(e.currentTarget.value))}
            data={[
              ...(signed ? [] : [{ value: '0', label: t('sign.newest', { n: r.revision }) }]),
              ...[...editions].reverse().map((e) => ({
                value: String(e.edition),
                label: [
                  t('sign.edition', { n: e.edition }),
                  t('foot.revision', { n: e.revision }),
                  time(e.at),
                  e.withdrawn && t('sign.wasWithdrawn'),
                ]
                  .filter(Boolean)
                  .join(', '),
              })),
            ]}
          />
        )}
        {edition?.withdrawn && (
          <Text size="sm">
            {t('sign.withdrawnBy', { name: actorName(edition.withdrawn.by), time: time(edition.withdrawn.at) })}{' '}
            <q className="reason">{edition.withdrawn.comment}</q>
          </Text>
        )}
        {shown.page === page && shown.language !== language && <Text size="sm">{t('report.otherLanguage')}</Text>}
        <Downloads
          address={address}
          page={translated}
          name={name}
          kept={Boolean(edition)}
          print={shown.page === page ? () => frame.current?.contentWindow?.print() : undefined}
        />
        <section>
          <Title order={2} size="h6">
            {t('report.verify')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('report.verifyText')}
          </Text>
          <pre className="mono">ecf verify {name}.json</pre>
        </section>
      </Stack>
      <Frame
        key={page}
        frame={frame}
        address={translated}
        title={t('report.title', { title: event.title })}
        onShown={(is) => setShown({ page, language: is })}
      />
    </div>
  );
}

interface FrameProps {
  frame: RefObject<HTMLIFrameElement | null>;
  address: string;
  title: string;
  /** Is told the language of the report that is shown. */
  onShown: (language: string) => void;
}

/** The width of the text on a sheet of A4. */
const paper = '186mm';

/** The report itself, once it is there: until then a frame is a blank page, white in the dark. */
function Frame({ frame, address, title, onShown }: FrameProps): ReactNode {
  const [state, setState] = useState<'loading' | 'shown' | Error>('loading');
  const [tries, setTries] = useState(0);
  const again = () => {
    setState('loading');
    setTries(tries + 1);
  };
  const loaded = (page: HTMLIFrameElement) => {
    const fault = faultIn(page);
    setState(fault ?? 'shown');
    if (!fault) onShown(page.contentDocument?.documentElement.lang ?? '');
  };
  // A browser that prints the page prints as much of a frame as is high on the screen.
  useEffect(() => {
    const before = (): void => {
      const page = frame.current?.contentDocument?.documentElement;
      if (!frame.current || !page) return;
      frame.current.style.width = paper;
      frame.current.style.height = `${page.scrollHeight}px`;
    };
    const after = (): void => frame.current?.removeAttribute('style');
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [frame]);
  return (
    <div>
      {state === 'loading' && <Loading />}
      {state instanceof Error && (
        <Box p="md" maw={800} mx="auto">
          <Problem error={state} retry={again} />
        </Box>
      )}
      <iframe
        key={tries}
        ref={frame}
        className="reportframe"
        hidden={state !== 'shown'}
        title={title}
        src={address}
        onLoad={(e) => loaded(e.currentTarget)}
      />
    </div>
  );
}

/** Returns the error that a frame has got in place of a report. */
function faultIn(frame: HTMLIFrameElement): Error | undefined {
  const page = frame.contentDocument;
  // The browser's own error page has an opaque origin.
  if (!page) return new ApiError(0, 'NETWORK', '', '');
  if (page.querySelector('.headline .total')) return undefined;
  // An intermediary may respond with its own page.
  const [visit] = frame.contentWindow?.performance.getEntriesByType('navigation') ?? [];
  const status = (visit as PerformanceNavigationTiming | undefined)?.responseStatus ?? 0;
  return errorOf(jsonIn(page), { status, headers: new Headers() });
}

function jsonIn(page: Document): unknown {
  try {
    return JSON.parse(page.body.textContent);
  } catch {
    return null;
  }
}

interface DownloadsProps {
  address: string;
  /** The address of the page, in the language of the console. */
  page: string;
  name: string;
  /** A signed edition, which has its bundle without names as well. */
  kept: boolean;
  /** Prints the report; undefined until it is shown. */
  print: (() => void) | undefined;
}

function Downloads({ address, page, name, kept, print }: DownloadsProps): ReactNode {
  const { t } = useTranslation();
  const [error, setError] = useState<Error | null>(null);
  const save = (accept: string, extension: string, query = ''): void => {
    setError(null);
    saveFile(address + query, { Accept: accept }, `${name}.${extension}`).catch((cause: unknown) => {
      setError(cause instanceof ApiError ? cause : new Error(String(cause)));
    });
  };
  const download = <IconDownload size={14} aria-hidden />;
  return (
    <Stack gap={6}>
      <Button leftSection={<IconPrinter size={16} aria-hidden />} onClick={print} disabled={!print}>
        {t('report.print')}
      </Button>
      <Group gap={6} grow>
        <Button variant="default" size="xs" px={6} leftSection={download} onClick={() => save(workbook, 'xlsx')}>
          {t('report.workbook')}
        </Button>
        <Button variant="default" size="xs" px={6} leftSection={download} onClick={() => save('text/csv', 'csv')}>
          {t('report.csv')}
        </Button>
      </Group>
      <Button variant="default" size="xs" leftSection={download} onClick={() => save('application/json', 'json')}>
        {t('report.bundle')}
      </Button>
      {kept && (
        <Button
          variant="default"
          size="xs"
          leftSection={download}
          onClick={() => save('application/json', 'json', '?names=roles')}
        >
          {t('report.bundleRoles')}
        </Button>
      )}
      <Button variant="default" size="xs" component="a" href={page} target="_blank" rel="noopener">
        {t('report.tab')}
      </Button>
      {error && <Problem error={error} />}
    </Stack>
  );
}
