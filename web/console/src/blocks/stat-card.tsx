import { Skeleton } from "antd";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Tone } from "#console/blocks/status.tsx";

interface StatCardProps {
  readonly label: string;
  readonly value: ReactNode | undefined;
  readonly unit?: string;
  readonly about?: ReactNode;
  readonly to?: string;
  readonly tone?: Tone;
}

export function StatCard({ label, value, unit, about, to, tone = "default" }: StatCardProps) {
  const content = (
    <>
      <span className="q-stat-label">{label}</span>
      <span className="q-stat-value">
        {value === undefined ? <Skeleton.Button active size="small" /> : value}
        {unit !== undefined && value !== undefined && <small>{unit}</small>}
      </span>
      {about !== undefined && <span className="q-stat-about">{about}</span>}
    </>
  );
  const className = `q-stat q-tone-${tone}`;
  return to !== undefined ? (
    <Link to={to} className={className}>
      {content}
    </Link>
  ) : (
    <div className={className}>{content}</div>
  );
}

export const everyMs = 30_000;
