import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { countriesIn } from '../countries';
import { dayPattern } from '../format';
import { type Column, shown, typedIn } from './columns';
import { originOptions, searchPlaces, supplierFactors } from './places';

interface Option {
  value: string;
  label: string;
}
interface Props {
  column: Column;
  label: string;
  start: string;
  /** Whether what was there is to be selected, as when typing replaces it. */
  select: boolean;
  /** The input so far: another editor continues with it when the row has moved. */
  typed: RefObject<string | null>;
  done: (text: string, move: 'down' | 'up' | 'right' | 'left' | 'stay') => void;
  cancel: () => void;
}

/** The editor of one cell: a text field with the options that fit what is typed. */
export function Editor({ column, label, start, select, typed, done, cancel }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const first = shown(column, start);
  const [text, setText] = useState(typed.current ?? first);
  const type = (now: string): void => {
    typed.current = now;
    setText(now);
  };
  const [options, setOptions] = useState<Option[]>([]);
  const [at, setAt] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const finished = useRef(false);

  useLayoutEffect(() => {
    const el = input.current;
    if (!el) return;
    el.focus({ preventScroll: true });
    if (select) el.select();
    else el.setSelectionRange(el.value.length, el.value.length);
  }, [select]);

  useEffect(() => {
    let live = true;
    if (column.place) {
      void searchPlaces(text).then(
        (found) => live && setOptions(found),
        () => {},
      );
    } else if (column.field === 'supplierFactor') {
      void supplierFactors(text).then(
        (found) => live && setOptions(found),
        () => {},
      );
    } else if (column.kind === 'origins') {
      void originOptions(text).then(
        (found) => live && setOptions(found),
        () => {},
      );
    } else if (column.field === 'country') {
      setOptions(countryOptions(i18n.resolvedLanguage ?? 'en', text));
    } else if (column.kind === 'amounts') {
      setOptions(amountOptions(column, text));
    } else if (column.units.length > 0) {
      setOptions(unitOptions(column, text));
    } else if (column.options.length > 0) {
      const q = text.trim().toLowerCase().replaceAll(' ', '_');
      const fitting = column.options.filter(
        (o) =>
          q === '' ||
          text === first ||
          o.includes(q) ||
          shown(column, o).toLowerCase().includes(text.trim().toLowerCase()),
      );
      setOptions(fitting.map((o) => ({ value: o, label: shown(column, o) })));
    }
    setAt(-1);
    return () => {
      live = false;
    };
  }, [text, column, first, i18n.resolvedLanguage]);

  const finish = (move: 'down' | 'up' | 'right' | 'left' | 'stay', chosen?: string): void => {
    if (finished.current) return;
    const value = chosen ?? options[at]?.value;
    if ((column.kind === 'amounts' || column.kind === 'origins') && value !== undefined) {
      // The name is there; its number is still to be typed.
      type(value);
      input.current?.focus();
      return;
    }
    finished.current = true;
    // A cell without input is unchanged, however it is displayed.
    done(value ?? (text === first ? start : typedIn(column, text)), move);
  };
  const onKeyDown = (e: KeyboardEvent<HTMLInputElement>): void => {
    e.stopPropagation();
    if (e.nativeEvent.isComposing) return;
    if (e.key === 'Escape') {
      e.preventDefault();
      finished.current = true;
      cancel();
    } else if (e.key === 'Enter') {
      e.preventDefault();
      finish(e.shiftKey ? 'up' : 'down');
    } else if (e.key === 'Tab') {
      e.preventDefault();
      finish(e.shiftKey ? 'left' : 'right');
    } else if (options.length > 0 && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) {
      e.preventDefault();
      const step = e.key === 'ArrowDown' ? 1 : -1;
      setAt((n) => (n + step + options.length + (n < 0 && step < 0 ? 1 : 0)) % options.length);
    } else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault();
      finish(e.key === 'ArrowDown' ? 'down' : 'up');
    }
  };
  return (
    <>
      <input
        ref={input}
        className="celleditor"
        aria-label={label}
        value={text}
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={options.length > 0 ? list : undefined}
        aria-activedescendant={at >= 0 ? `${list}-${at}` : undefined}
        aria-autocomplete="list"
        inputMode={column.kind === 'integer' ? 'numeric' : column.kind === 'number' ? 'decimal' : 'text'}
        placeholder={
          column.kind === 'date'
            ? dayPattern({ day: t('sheet.day'), month: t('sheet.month'), year: t('sheet.year') })
            : column.kind === 'origins'
              ? t('sheet.originsHint')
              : shown(column, column.fallback)
        }
        autoComplete="off"
        spellCheck={false}
        onChange={(e) => type(e.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => finish('stay')}
        onCopy={(e) => e.stopPropagation()}
        onPaste={(e) => e.stopPropagation()}
        onMouseDown={(e) => e.stopPropagation()}
      />
      {options.length > 0 && (
        <div className="celloptions" id={list} role="listbox" aria-label={label}>
          {options.map((o, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys of the field choose among the options
            <div
              key={o.value}
              id={`${list}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === at}
              className="celloption"
              onMouseDown={(e) => e.preventDefault()}
              onClick={() => finish('down', o.value)}
            >
              {o.label}
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** The countries whose code or name, or a word of it, begins with the input. */
export function countryOptions(lang: string, text: string): Option[] {
  const typed = text.trim().toLowerCase();
  if (typed === '') return [];
  return countriesIn(lang)
    .filter(
      (c) =>
        `${c.value} ${c.label}`
          .toLowerCase()
          .split(/[\s(-]+/)
          .some((word) => word.startsWith(typed)) || c.label.toLowerCase().startsWith(typed),
    )
    .filter((c) => c.value.toLowerCase() !== typed)
    .slice(0, 8)
    .map((c) => ({ value: c.value, label: `${c.value} · ${c.label}` }));
}

/** A number with the units it may be stated in, once a space or a letter follows it. */
export function unitOptions(column: Column, text: string): Option[] {
  const m = /^(\d[\d.,'\s]*?)(?:\s+|(?=[^\d.,'\s]))([^\d.,'\s].*)?$/.exec(text);
  if (!m?.[1]) return [];
  const typed = (m[2] ?? '').toLowerCase();
  const fitting = column.units.filter((u) => u.toLowerCase().startsWith(typed));
  if (fitting.length === 1 && fitting[0]?.toLowerCase() === typed) return [];
  return fitting.map((u) => ({ value: `${m[1]} ${u}`, label: `${m[1]} ${u}` }));
}

/** The names that the last part of a cell of amounts may mean. */
export function amountOptions(column: Column, text: string): Option[] {
  const at = text.lastIndexOf(';') + 1;
  const typed = text.slice(at).trim().toLowerCase().replaceAll(' ', '_');
  const words = column.options.map((o) => shown(column, o));
  const fits = (w: string): string => w.toLowerCase().replaceAll(' ', '_');
  if (/\d$/.test(typed) && !words.some((w) => fits(w).startsWith(typed))) return [];
  const before = text.slice(0, at) + (at > 0 ? ' ' : '');
  return words
    .filter((w) => fits(w).includes(typed) && fits(w) !== typed)
    .slice(0, 12)
    .map((w) => ({ value: `${before}${w} `, label: w }));
}
