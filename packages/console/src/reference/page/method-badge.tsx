/** The HTTP method of a REST operation. */
export function MethodBadge({ method }: { readonly method: string }) {
  return <span class={`verb is-${method.toLowerCase()}`}>{method}</span>
}
