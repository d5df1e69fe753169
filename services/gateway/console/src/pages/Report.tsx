import { Anchor, Box, Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconCircleDashed, IconDownload, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, consoleFetch, errorOf } from '../api/client';
import { co2e, range } from '../format';
import { Empty, Problem } from '../ui/states';
import { useEvent } from './Event';
import { resultOf } from './Events';

export function ReportPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId, query } = useEvent();
  const frame = useRef<HTMLIFrameElement>(null);
  const [error, setError] = useState<Error | null>(null);
  const result = useQuery({ queryKey: ['result', eventId], queryFn: () => resultOf(eventId) });
  const address = `/session/api/events/${eventId}/results/report`;
  if (result.isPending)
    return (
      <Box p="md">
        <Skeleton h={400} />
      </Box>
    );
  if (result.isError)
    return (
      <Box p="md" maw={800} mx="auto">
        <Problem error={result.error} retry={() => void result.refetch()} />
      </Box>
    );
  const r = result.data;
  const event = query.data?.data;
  if (!r || !event)
    return (
      <Empty
        title={t('report.none')}
        action={
          <Button component={Link} to={`/events/${eventId}/sheet`}>
            {t('place.sheet')}
          </Button>
        }
      >
        {t('report.noneText')}
      </Empty>
    );

  const save = async (accept: string, extension: string): Promise<void> => {
    setError(null);
    try {
      const response = await consoleFetch(
        new Request(location.origin + address, { headers: { Accept: accept, 'If-None-Match': '""' } }),
      );
      if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
      const url = URL.createObjectURL(await response.blob());
      const a = document.createElement('a');
      a.href = url;
      a.download = `${event.title.replace(/[^\p{L}\p{N}]+/gu, '-')}-${r.revision}.${extension}`;
      a.click();
      URL.revokeObjectURL(url);
    } catch (cause) {
      setError(cause instanceof ApiError ? cause : new Error(String(cause)));
    }
  };

  const waiting = (r.counts?.submitted ?? 0) + (r.counts?.inReview ?? 0);
  const drafts = (r.counts?.unsubmitted ?? 0) + (r.counts?.changesRequested ?? 0);
  const warnings = (r.findings ?? []).filter((f) => f.severity === 'warning').length;
  const checks = [
    { done: r.status === 'current', text: t('report.current'), todo: t('report.recalculating'), to: 'footprint' },
    { done: waiting === 0, text: t('report.noneWaiting'), todo: t('report.waiting', { count: waiting }), to: 'review' },
    { done: drafts === 0, text: t('report.noDrafts'), todo: t('report.drafts', { count: drafts }), to: 'sheet' },
    {
      done: warnings === 0,
      text: t('report.noFindings'),
      todo: t('report.findings', { count: warnings }),
      to: 'footprint',
    },
    { done: Boolean(event.boundary), text: t('report.boundary'), todo: t('report.noBoundary'), to: 'footprint' },
    {
      done: event.attendees !== undefined,
      text: t('report.attendees'),
      todo: t('report.noAttendees'),
      to: 'footprint',
    },
  ];
  return (
    <div className="reportpage">
      <Stack className="reportside" gap="md">
        <div>
          <Text size="xl" fw={650} className="figure">
            {co2e(r.total.kgCO2e)}
          </Text>
          <Text size="sm" c="dimmed" className="figure">
            {range(r.total.low, r.total.high)} · {t('foot.revision', { n: r.revision })}
          </Text>
        </div>
        <Card withBorder component="section" p="sm">
          <Title order={2} size="h5" mb="xs">
            {t('report.checklist')}
          </Title>
          <ul className="plain checklist">
            {checks.map((c) => (
              <li key={c.text} data-done={c.done || undefined}>
                {c.done ? (
                  <IconCheck size={16} aria-label={t('report.done')} />
                ) : (
                  <IconCircleDashed size={16} aria-label={t('report.open')} />
                )}
                <Text size="sm">
                  {c.done ? (
                    c.text
                  ) : (
                    <Anchor component={Link} to={`/events/${eventId}/${c.to}`}>
                      {c.todo}
                    </Anchor>
                  )}
                </Text>
              </li>
            ))}
          </ul>
        </Card>
        <Stack gap={6}>
          <Button
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => frame.current?.contentWindow?.print()}
          >
            {t('report.print')}
          </Button>
          <Group gap={6} grow>
            <Button
              variant="default"
              size="xs"
              px={6}
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() => void save('application/json', 'json')}
            >
              {t('report.bundle')}
            </Button>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() => void save('text/csv', 'csv')}
            >
              {t('report.csv')}
            </Button>
          </Group>
          <Button variant="default" size="xs" component="a" href={address} target="_blank" rel="noopener">
            {t('report.tab')}
          </Button>
        </Stack>
        {error && <Problem error={error} />}
        <section>
          <Title order={2} size="h6">
            {t('report.verify')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('report.verifyText')}
          </Text>
          <pre className="mono">ecf verify report.json</pre>
        </section>
      </Stack>
      <iframe
        ref={frame}
        className="reportframe"
        title={t('report.title', { title: event.title })}
        src={address}
        key={r.revision}
      />
    </div>
  );
}
