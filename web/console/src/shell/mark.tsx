const angles = [-90, -18, 54, 126, 198].map((degrees) => (degrees * Math.PI) / 180);
const colours = ["#2563eb", "#0891b2", "#16a34a", "#d97706", "#db2777"] as const;

/** The mark of the platform: five services in a ring. */
export function Mark({ size }: { readonly size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      {angles.map((angle, index) => (
        <circle key={angle} cx={16 + 9 * Math.cos(angle)} cy={16 + 9 * Math.sin(angle)} r={5.2} fill={colours[index]} />
      ))}
    </svg>
  );
}
