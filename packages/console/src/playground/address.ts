/**
 * The URL of a request. The page can only call the gateway from which it was loaded, which serves its nodes under every
 * host name that it has. So the origin is that of the page, whatever the URL of the node is.
 *
 * @param template - URL of the node, with a `{token}` placeholder
 * @param target - path and query of the request, empty when the URL of the node is complete
 * @param token - replaces `{token}`
 * @param origin - of the page
 */
export function addressOf(template: string, target: string, token: string, origin: string): string {
  const path = pathOfTemplate(template)
  // Paths of operations begin with the last part of the node's URL.
  const shared = /\/api\/v\d$/.exec(path)?.[0]
  const below = shared !== undefined && target.startsWith(`${shared}/`) ? target.slice(shared.length) : target
  return `${origin}${path.replace('{token}', encodeURIComponent(token))}${below}`
}

function pathOfTemplate(template: string): string {
  return template.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/$/, '')
}
