/**
 * Where a request goes. The page may only talk to the service that it came from, which serves its nodes under every name
 * that it has; so the origin is that of the page, whatever the node's own address says.
 *
 * @param template - address of the node, with `{token}` in it
 * @param target - path and query of the request, empty when the address is all of it
 * @param token - what stands for `{token}`
 * @param origin - of the page
 */
export function addressOf(template: string, target: string, token: string, origin: string): string {
  const path = pathOfTemplate(template)
  // Paths of operations begin with what the address of the node ends with.
  const shared = /\/api\/v\d$/.exec(path)?.[0]
  const below = shared !== undefined && target.startsWith(`${shared}/`) ? target.slice(shared.length) : target
  return `${origin}${path.replace('{token}', encodeURIComponent(token))}${below}`
}

function pathOfTemplate(template: string): string {
  return template.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/$/, '')
}
