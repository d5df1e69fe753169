function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

export const host = variable("ECF_URL");
export const account = { email: variable("ECF_EMAIL"), password: variable("ECF_PASSWORD") };
