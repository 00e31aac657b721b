"""Hooks of schemathesis: credentials, and values that must not reach the gateway.

API_KEYS and PROTECTED_IDS come from the environment, separated by commas; either may be missing.
"""

import os
from itertools import cycle
from urllib.parse import urlsplit

import schemathesis

api_keys = [key for key in os.environ.get("API_KEYS", "").split(",") if key]
protected_ids = {each for each in os.environ.get("PROTECTED_IDS", "").split(",") if each}

if api_keys:
    # A key may send 600 requests in a minute, so each request takes the next one.
    next_key = cycle(api_keys)

    @schemathesis.auth(refresh_interval=None)
    class ApiKeys:
        def get(self, case, context):
            return next(next_key)

        def set(self, case, data, context):
            case.headers = case.headers or {}
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps what the run itself needs: its API keys and their owner."""
    for name, value in (case.path_parameters or {}).items():
        if isinstance(value, str) and value in protected_ids:
            case.path_parameters[name] = value[:3] + "000-000-000"


@schemathesis.hook
def map_body(context, body):
    """Leads every web hook and every upstream to a host that does not exist."""
    return contained(body)


def contained(value):
    if isinstance(value, dict):
        return {name: contained(each) for name, each in value.items()}
    if isinstance(value, list):
        return [contained(each) for each in value]
    if not isinstance(value, str) or not value.startswith(("http://", "https://")):
        return value
    try:
        parts = urlsplit(value)
        host = parts.hostname or ""
    except ValueError:
        return value
    if not host or not host.isascii() or not host.replace(".", "").replace("-", "").isalnum():
        return value
    return parts._replace(netloc=parts.netloc.lower().replace(host, "fuzz.test")).geturl()
