import { type ReactNode, useEffect, useRef, useState } from 'react';

interface Props {
  /** The label of the content, for keyboard users. */
  label: string;
  /** Below this width the table scrolls in its frame and is not squeezed any more. */
  least?: number;
  children: ReactNode;
}

/** A frame in which a wide table scrolls; where it does, the frame has a name and the keys reach it. */
export function Wide({ label, least, children }: Props): ReactNode {
  const frame = useRef<HTMLElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const el = frame.current;
    if (!el) return;
    const seen = new ResizeObserver(() => setScrolls(el.scrollWidth > el.clientWidth));
    seen.observe(el);
    for (const child of el.children) seen.observe(child);
    return () => seen.disconnect();
  }, []);
  return (
    <section
      ref={frame}
      className="scrollx"
      aria-label={scrolls ? label : undefined}
      tabIndex={scrolls ? 0 : undefined}
    >
      <div style={{ minWidth: least }}>{children}</div>
    </section>
  );
}
