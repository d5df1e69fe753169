/** A map of the world from Natural Earth, drawn here without requests for tiles. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/land-110m.json';

const topology = world as unknown as Topology<{ land: GeometryCollection }>;

/** The coasts as one path: degrees east to the right, degrees north upwards. */
const coasts = mesh(topology, topology.objects.land)
  .coordinates.map((line) => `M${line.map(([x = 0, y = 0]) => `${x.toFixed(1)} ${(-y).toFixed(1)}`).join('L')}`)
  .join('');

const margin = 6;

/** Returns the part of the world that holds all places, not smaller than a country. */
export function frame(places: { latitude: number; longitude: number }[]): [number, number, number, number] {
  const xs = places.map((p) => p.longitude);
  const ys = places.map((p) => -p.latitude);
  const [left, right] = [Math.min(...xs) - margin, Math.max(...xs) + margin];
  const [top, bottom] = [Math.min(...ys) - margin, Math.max(...ys) + margin];
  const width = Math.min(360, Math.max(right - left, 2 * (bottom - top), 30));
  const height = width / 2;
  return [
    Math.max(-180, Math.min((left + right - width) / 2, 180 - width)),
    Math.max(-90, Math.min((top + bottom - height) / 2, 90 - height)),
    width,
    height,
  ];
}

/** A place and how many people are of it. */
export interface Dot {
  name: string;
  latitude: number;
  longitude: number;
  people: number;
}

interface Props {
  dots: Dot[];
  venue?: { name: string; latitude: number; longitude: number };
}

export function World({ dots, venue }: Props): ReactNode {
  const { t } = useTranslation();
  const box = frame([...dots, ...(venue ? [venue] : [])]);
  const unit = box[2] / 100;
  const most = Math.max(...dots.map((d) => d.people), 1);
  return (
    <svg className="world" viewBox={box.join(' ')} role="img" aria-label={t('origin.map')}>
      <path d={coasts} className="coast" strokeWidth={unit / 6} />
      {dots.map((d) => (
        <circle
          key={`${d.latitude} ${d.longitude}`}
          className="origin"
          cx={d.longitude}
          cy={-d.latitude}
          r={unit * (0.5 + 2 * Math.sqrt(d.people / most))}
          strokeWidth={unit / 6}
        >
          <title>{`${d.name}: ${d.people}`}</title>
        </circle>
      ))}
      {venue && (
        <rect
          className="venue"
          x={venue.longitude - unit / 2}
          y={-venue.latitude - unit / 2}
          width={unit}
          height={unit}
          strokeWidth={unit / 6}
        >
          <title>{`${t('origin.venue')}: ${venue.name}`}</title>
        </rect>
      )}
    </svg>
  );
}
