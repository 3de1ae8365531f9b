export function Bar({ percent, text }: { readonly percent: number; readonly text: string }) {
  return (
    <span className="q-bar">
      <span className="q-bar-line">
        <span style={{ width: `${percent}%` }} />
      </span>
      <span className="q-figures">{text}</span>
    </span>
  );
}
