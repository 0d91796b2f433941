// Answers of the studio as values. A studio that is gone, and an answer that is no value, are named in words.

const WORDS = {
  401: "this browser is no longer let in: open the address that harness studio prints",
  413: "that is more than the studio takes at once",
};

// The answer to a request, whatever it is; rejects where there is none.
export async function reach(address, options = {}) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Error("The studio does not answer. Is it still running?");
  }
}

// Resolves to the value of an answer, also to that of a question what may be replaced, and to the state of a board
// that the page has to follow first; rejects with the reason of a refusal.
export async function request(address, options = {}) {
  const answer = await reach(address, options);
  const value = await answer.json().catch(() => undefined);
  if (value !== undefined && (answer.ok || value?.replaces || value?.behind)) return value;
  throw new Error(value?.error ?? WORDS[answer.status] ?? `the studio answered with status ${answer.status}`);
}

// The parts of a text in which what stands between backticks is code.
export function withCode(text) {
  return text.split("`").map((part, number) => {
    if (number % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}
