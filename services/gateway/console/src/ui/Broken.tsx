/** What is shown in place of a page that failed while it was drawn. */
import { Button, Center, Code, CopyButton, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Component, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { forget } from '../api/client';

/** The lines of a stack that are shown: the place of the error, and what drew it. */
const lines = 6;

/** Describes an error for whoever runs the service; the files of its stack have the release in their names. */
function describe(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const told = stack.includes(String(error)) ? stack : `${String(error)}\n${stack}`;
  return [...told.trim().split('\n', lines), `${location.pathname}${location.search} ${new Date().toISOString()}`].join(
    '\n',
  );
}

/** Says that a page could not be shown, and leads out of it. */
export function Broken({ error }: { error: unknown }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const text = useId();
  const [message] = useState(() => describe(error));
  useEffect(() => {
    heading.current?.focus();
    // The answer that the page failed on is asked for again when somebody comes back to it.
    client.removeQueries({ type: 'inactive' });
    forget();
  }, [client]);
  return (
    <Center py={48} px="md" className="broken">
      <Stack gap="md" maw={640} miw={0} flex={1}>
        <Title order={1} size="h3" ref={heading} tabIndex={-1} aria-describedby={text}>
          {t('broken.title')}
        </Title>
        <Text id={text}>{t('broken.text')}</Text>
        <Group gap="sm">
          <Button onClick={() => location.reload()}>{t('state.reload')}</Button>
          <Button component="a" href="/" variant="default">
            {t('broken.back')}
          </Button>
        </Group>
        <Stack gap={4} align="flex-start">
          <Group justify="space-between" w="100%" gap="xs">
            <Text size="sm" c="dimmed">
              {t('broken.message')}
            </Text>
            <CopyButton value={message}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="default" onClick={copy}>
                  {t(copied ? 'state.copied' : 'state.copy')}
                </Button>
              )}
            </CopyButton>
          </Group>
          <Code block w="100%" lang="en" dir="ltr">
            {message}
          </Code>
        </Stack>
      </Stack>
    </Center>
  );
}

/** The same where the frame of the pages failed as well. */
export function BrokenFrame({ error }: { error: unknown }): ReactNode {
  return (
    <main>
      <Broken error={error} />
    </main>
  );
}

/** Shows it in place of what fails outside of the pages, which have boundaries of their own. */
export class Boundary extends Component<{ children: ReactNode }, { error?: [unknown] }> {
  override state: { error?: [unknown] } = {};
  static getDerivedStateFromError(error: unknown): { error: [unknown] } {
    return { error: [error] }; // in a list, since anything can be thrown
  }
  override render(): ReactNode {
    const { error } = this.state;
    return error ? <BrokenFrame error={error[0]} /> : this.props.children;
  }
}
