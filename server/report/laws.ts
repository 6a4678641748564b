/** The laws by name, as people choose them. A law that is missing here still works: it has no line of explanation. */
const FORMS: Readonly<Record<string, { readonly form: string; readonly note: string }>> = {
  "single-axis": { form: "e = E + A·x^−α", note: "One axis varies; the others stay as they are." },
  power: { form: "e = A·x^−α", note: "One axis and no floor; by name only." },
  additive: { form: "e = E + Σ A_i·x_i^−α_i", note: "Each axis removes its own part of the error." },
  multiplicative: { form: "e = E + A·∏ x_i^−α_i", note: "Axes multiply: little on one axis spoils the others." },
  interaction: { form: "e = E + A·x_1^−α_1·∏ (1 + B_i·x_i^−α_i)", note: "A leading axis, on which the others depend." },
  nested: { form: "e = E + Σ_j A_j·∏_{i≤j} x_i^−α_j", note: "Outer axes enter every inner term." },
  saturating: { form: "multiplicative, rollouts as 1 + R*(1 − e^(−(x−1)/R*))", note: "Repeated rollouts wear out." },
  sigmoid: { form: "P = P_0 + (A − P_0)/(1 + (x_mid/x)^B)", note: "One axis, usually compute." },
};

export function lawForm(name: string): string {
  return FORMS[name]?.form ?? "";
}

export function lawNote(name: string): string {
  return FORMS[name]?.note ?? "";
}
