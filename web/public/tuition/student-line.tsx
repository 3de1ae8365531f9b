import { useTexts } from "#shared/language/language.ts";
import { currentStudent, identity, leave } from "./student.ts";
import { texts } from "./texts.ts";

interface StudentLineProps {
  readonly payable:
    | { readonly studentName: string; readonly studentNo: string | null; readonly collegeName: string }
    | undefined;
}

/** Whose tuition it is, and the way out on a phone that others use too. */
export function StudentLine({ payable }: StudentLineProps) {
  const t = useTexts(texts);
  const student = currentStudent();
  return (
    <div className="tuition-ends tuition-student">
      <div>
        {identity === "demo" && <span className="tag">{t.demo}</span>}{" "}
        {payable && <strong>{payable.studentName}</strong>}{" "}
        <span className="soft">
          {payable
            ? [payable.studentNo ?? t.noNumber, payable.collegeName].filter(Boolean).join(" · ")
            : student?.cardNumber}
        </span>
      </div>
      {student && (
        <button type="button" className="button" data-kind="quiet" onClick={leave}>
          {identity === "demo" ? t.switchStudent : t.signOut}
        </button>
      )}
    </div>
  );
}
