export function WarningList({ waring }: { readonly waring: string }) {
  const lines = waring.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return null;
  return (
    <ul className="q-attendance-warnings">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
