import { Button, FileInput, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call, keyed, type Schemas } from '../api/client';
import { amountIn, cellNumber } from '../format';
import { say } from '../i18n/server';
import { documentOf } from '../sheet/evidence';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem, problemText } from '../ui/states';
import type { Factor } from './data';

type Evidence = Schemas['SupplierEvidence'];

const categories: NonNullable<Schemas['CustomInput']['scope3Category']>[] = [
  '1 Purchased goods and services',
  '2 Capital goods',
  '4 Upstream transportation and distribution',
  '5 Waste generated in operations',
  '6 Business travel',
  '7 Employee commuting',
  '9 Downstream transportation and distribution',
  '11 Use of sold products',
  '12 End-of-life treatment of sold products',
  'optional',
];

interface Props {
  /** The proposal to change, or the version that a next one begins with; absent for a new factor. */
  factor?: Factor;
  next?: boolean;
  close: () => void;
}

/** Asks for a factor as its supplier states it. */
export function FactorModal({ factor, next, close }: Props): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const changing = factor !== undefined && !next;
  const [evidence, setEvidence] = useState<Evidence[]>(changing ? factor.evidence : []);
  const [stage, setStage] = useState<string | null>(factor?.stage ?? 'combined');
  const [category, setCategory] = useState<string | null>(factor?.scope3Category ?? null);
  const [reading, setReading] = useState(false);
  const unsaved = useUnsaved();
  const [once] = useState(keyed);
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) =>
      changing
        ? call('PATCH', `/supplier-factors/${factor._id}`, body)
        : once(body, (key) => call('POST', '/supplier-factors', body, { 'Idempotency-Key': key })),
    onSuccess: () => {
      unsaved.clear();
      void client.invalidateQueries({ queryKey: ['supplier-factors'] });
      close();
    },
  });
  const fault = (field: string): string | undefined => {
    const details = save.error instanceof ApiError ? save.error.details : [];
    const found = details.find((d) => d.field === field || d.field?.startsWith(`${field}[`));
    return found && say('fault', found, '');
  };
  const choose = async (files: File[]): Promise<void> => {
    setReading(true);
    unsaved.fill();
    try {
      const named = await Promise.all(files.map(documentOf));
      setEvidence((now) => [...now, ...named].slice(0, 10));
    } catch (cause) {
      notifications.show({ color: 'red', message: problemText(cause as Error) });
    }
    setReading(false);
  };
  const title = changing ? 'factor.edit' : next ? 'factor.next' : 'factor.propose';
  return (
    <FormModal title={t(title)} large unsaved={unsaved} close={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          const f = new FormData(e.currentTarget);
          const text = (name: string): string | null => String(f.get(name) ?? '').trim() || null;
          const amount = (name: string) => amountIn(text(name) ?? '');
          const body = {
            name: text('name'),
            kgCO2ePerUnit: amount('kg'),
            unit: text('unit'),
            stage,
            scope3Category: category,
            validFrom: text('validFrom'),
            validTo: text('validTo'),
            source: text('source'),
            uncertaintyFactor: amount('spread'),
            evidence,
          };
          const given = Object.entries(body).filter(([, v]) => v !== null || changing);
          save.mutate(Object.fromEntries(given));
        }}
      >
        <Stack>
          <TextInput
            name="name"
            label={t('factor.name')}
            description={t('factor.nameHint')}
            required
            withAsterisk={false}
            maxLength={100}
            defaultValue={factor?.name ?? ''}
            readOnly={next === true}
            error={fault('name')}
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              name="kg"
              label={t('factor.kg')}
              required
              withAsterisk={false}
              inputMode="decimal"
              defaultValue={factor ? cellNumber(factor.kgCO2ePerUnit) : ''}
              error={fault('kgCO2ePerUnit')}
            />
            <TextInput
              name="unit"
              label={t('factor.unit')}
              placeholder="kWh"
              required
              withAsterisk={false}
              maxLength={40}
              defaultValue={factor?.unit ?? ''}
              error={fault('unit')}
            />
            <Select
              label={t('factor.stage')}
              value={stage}
              onChange={setStage}
              allowDeselect={false}
              data={(['direct', 'upstream', 'combined'] as const).map((s) => ({
                value: s,
                label: t(`factor.stage_${s}`),
              }))}
            />
            <Select
              label={t('factor.category')}
              value={category}
              onChange={setCategory}
              clearable
              clearButtonProps={{ 'aria-label': t('state.clear') }}
              data={categories.map((c) => ({ value: c, label: t(`category.${c}`) }))}
            />
            <TextInput
              name="validFrom"
              type="date"
              label={t('factor.validFrom')}
              defaultValue={factor?.validFrom ?? ''}
              error={fault('validFrom')}
            />
            <TextInput
              name="validTo"
              type="date"
              label={t('factor.validTo')}
              defaultValue={factor?.validTo ?? ''}
              error={fault('validTo')}
            />
          </SimpleGrid>
          <TextInput
            name="source"
            label={t('factor.source')}
            description={t('factor.sourceHint')}
            required
            withAsterisk={false}
            maxLength={500}
            defaultValue={next ? '' : (factor?.source ?? '')}
            error={fault('source')}
          />
          <TextInput
            name="spread"
            label={t('factor.uncertainty')}
            description={t('factor.uncertaintyHint')}
            inputMode="decimal"
            defaultValue={factor?.uncertaintyFactor === undefined ? '' : cellNumber(factor.uncertaintyFactor)}
            error={fault('uncertaintyFactor')}
          />
          <FileInput
            multiple
            label={t('factor.evidence')}
            description={t('factor.evidenceHint')}
            placeholder={t('factor.choose')}
            value={[]}
            onChange={(files) => void choose(files)}
            error={fault('evidence')}
          />
          <ul className="plain">
            {evidence.map((e, n) => (
              <li key={`${e.sha256 ?? e.url ?? e.name}`}>
                <Group gap="xs" wrap="nowrap">
                  <Text size="sm" className="wrap">
                    {e.name ?? e.url} <span className="mono dim">{e.sha256?.slice(0, 12)}</span>
                  </Text>
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => setEvidence((now) => now.filter((_, at) => at !== n))}
                    aria-label={t('factor.dropEvidence', { name: e.name ?? e.url ?? '' })}
                  >
                    {t('factor.drop')}
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
          {save.isError && <Problem error={save.error} />}
          <Group justify="flex-end" className="formactions">
            <Button variant="default" onClick={() => unsaved.leave(close)}>
              {t('state.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={reading || evidence.length === 0}>
              {t(changing ? 'state.save' : 'factor.propose')}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
