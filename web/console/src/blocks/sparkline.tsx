interface SparklineProps {
  readonly values: readonly number[];
  readonly label: string;
  readonly most?: number;
  readonly width?: number;
  readonly height?: number;
}

export function Sparkline({ values, label, most, width = 96, height = 24 }: SparklineProps) {
  const top = most ?? Math.max(1, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map((value, index) => `${index * step},${height - 2 - (value / top) * (height - 4)}`);
  return (
    <svg
      className="q-spark"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="currentColor"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
