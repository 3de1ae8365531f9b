import { useInstitution } from "#shared/institution.ts";

export function PageTitle({ children }: { readonly children: string }) {
  const { name } = useInstitution();
  return <title>{`${children} · ${name || "Quintet"}`}</title>;
}
