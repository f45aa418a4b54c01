"""
A service provider of SAML for tests: the unchanged library python3-saml or pysaml2, and as little around it as it takes.
One page shows who is signed in. Run it with the name of the library and a folder that has settings.json, sp.key, sp.pem
and idp.xml.
"""

import html
import json
import os
import secrets
import sys
import xml.etree.ElementTree as ElementTree
from urllib.parse import parse_qs, parse_qsl
from wsgiref.simple_server import WSGIRequestHandler, make_server

KIND, FOLDER = sys.argv[1:3]
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
PREFIXES = {
    "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}
REDIRECT, POST, SOAP = ("urn:oasis:names:tc:SAML:2.0:bindings:" + name for name in ("HTTP-Redirect", "HTTP-POST", "SOAP"))


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


BASE = json.loads(text_of("settings.json"))["base"]
# What is known of each browser, by its cookie.
SESSIONS = {}


class OneLogin:
    """python3-saml: requests, logouts and answers by redirect, assertions by form."""

    def __init__(self):
        from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser

        own = {
            "strict": True,
            "sp": {
                "entityId": BASE + "/metadata",
                "assertionConsumerService": {"url": BASE + "/acs", "binding": POST},
                "singleLogoutService": {"url": BASE + "/slo", "binding": REDIRECT},
                "attributeConsumingService": {
                    "serviceName": "Tests",
                    "requestedAttributes": [{"name": "http://wso2.org/claims/emailaddress"}],
                },
                "NameIDFormat": "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
                "x509cert": text_of("sp.pem"),
                "privateKey": text_of("sp.key"),
            },
            "security": {
                "authnRequestsSigned": True,
                "logoutRequestSigned": True,
                "logoutResponseSigned": True,
                "wantAssertionsSigned": True,
                "wantMessagesSigned": False,
                "signatureAlgorithm": RSA_SHA256,
                "digestAlgorithm": SHA256,
                "requestedAuthnContext": False,
            },
        }
        read = OneLogin_Saml2_IdPMetadataParser.parse(text_of("idp.xml"))
        self.settings = OneLogin_Saml2_IdPMetadataParser.merge_settings(own, read)

    def _auth(self, request):
        from onelogin.saml2.auth import OneLogin_Saml2_Auth

        host = BASE.split("//")[1]
        shown = {
            "https": "off",
            "http_host": host.split(":")[0],
            "server_port": host.split(":")[1],
            "script_name": request.path,
            "get_data": dict(parse_qsl(request.query)),
            "post_data": request.form,
        }
        return OneLogin_Saml2_Auth(shown, self.settings)

    def metadata(self):
        from onelogin.saml2.settings import OneLogin_Saml2_Settings

        return OneLogin_Saml2_Settings(self.settings, sp_validation_only=True).get_sp_metadata()

    def user(self, session):
        return session.get("user")

    def login(self, request, session):
        auth = self._auth(request)
        address = auth.login(return_to=BASE + "/page")
        session["asked"] = auth.get_last_request_id()
        return redirect(address)

    def acs(self, request, session):
        auth = self._auth(request)
        auth.process_response(session.pop("asked", None))
        if auth.get_errors():
            return failed(auth.get_errors(), auth.get_last_error_reason())
        session.update(user=auth.get_nameid(), format=auth.get_nameid_format(), index=auth.get_session_index())
        return redirect(request.form["RelayState"])

    def logout(self, request, session):
        auth = self._auth(request)
        address = auth.logout(
            return_to=BASE + "/left",
            name_id=session.get("user"),
            session_index=session.get("index"),
            name_id_format=session.get("format"),
        )
        session["asked"] = auth.get_last_request_id()
        return redirect(address)

    def slo(self, request, session):
        auth = self._auth(request)
        address = auth.process_slo(request_id=session.pop("asked", None), delete_session_cb=session.clear)
        if auth.get_errors():
            return failed(auth.get_errors(), auth.get_last_error_reason())
        return redirect(address or BASE + "/left")


class PySaml2:
    """pysaml2: logouts by redirect, form and SOAP."""

    def __init__(self):
        from saml2.client import Saml2Client
        from saml2.config import SPConfig

        # It writes what it finds in an envelope before it verifies it, by these prefixes: others than those of the sender
        # would break the signature.
        for prefix, namespace in PREFIXES.items():
            ElementTree.register_namespace(prefix, namespace)
        config = SPConfig()
        config.load(
            {
                "entityid": BASE + "/metadata",
                "key_file": os.path.join(FOLDER, "sp.key"),
                "cert_file": os.path.join(FOLDER, "sp.pem"),
                "encryption_keypairs": [
                    {"key_file": os.path.join(FOLDER, "sp.key"), "cert_file": os.path.join(FOLDER, "sp.pem")}
                ],
                "metadata": {"local": [os.path.join(FOLDER, "idp.xml")]},
                "service": {
                    "sp": {
                        "endpoints": {
                            "assertion_consumer_service": [(BASE + "/acs", POST)],
                            "single_logout_service": [(BASE + "/slo", each) for each in (REDIRECT, POST, SOAP)],
                        },
                        "authn_requests_signed": True,
                        "logout_requests_signed": True,
                        "logout_responses_signed": True,
                        "want_assertions_signed": True,
                        "want_response_signed": False,
                        "signing_algorithm": RSA_SHA256,
                        "digest_algorithm": SHA256,
                        "name_id_format": ["urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"],
                    }
                },
            }
        )
        self.config = config
        self.client = Saml2Client(config=config)
        self.asked = {}

    def metadata(self):
        from saml2.metadata import entity_descriptor

        return str(entity_descriptor(self.config))

    def user(self, session):
        name = session.get("name")
        return name.text if name is not None and name in self.client.users.subjects() else None

    def login(self, request, session):
        binding = POST if "by=form" in request.query else REDIRECT
        reqid, sent = self.client.prepare_for_authenticate(relay_state="/page", sign=True, binding=binding)
        self.asked[reqid] = "/page"
        return self._sent(sent)

    def acs(self, request, session):
        answer = self.client.parse_authn_request_response(request.form["SAMLResponse"], POST, self.asked)
        session["name"] = answer.name_id
        return redirect(BASE + request.form["RelayState"])

    def logout(self, request, session):
        binding = {"redirect": REDIRECT, "form": POST, "SOAP": SOAP}[dict(parse_qsl(request.query))["by"]]
        name = session["name"]
        issuers = self.client.users.issuers_of_info(name)
        [sent] = self.client.do_logout(name, issuers, "", None, expected_binding=binding).values()
        if binding != SOAP:
            return self._sent(sent[1])
        if not sent.status_ok():
            return failed("the answer by SOAP is no success")
        self.client.local_logout(name)
        return redirect(BASE + "/left")

    def slo(self, request, session):
        binding = SOAP if request.body.lstrip().startswith("<") else POST if request.form else REDIRECT
        fields = request.form or dict(parse_qsl(request.query))
        if "SAMLResponse" in fields:
            answer = self.client.parse_logout_request_response(fields["SAMLResponse"], binding)
            self.client.handle_logout_response(answer)
            return redirect(BASE + "/left")
        message = request.body if binding == SOAP else fields["SAMLRequest"]
        # By SOAP there is no browser: the request alone names the user.
        name = self.client.parse_logout_request(message, binding).message.name_id if binding == SOAP else session["name"]
        sent = self.client.handle_logout_request(message, name, binding, relay_state=fields.get("RelayState", ""))
        return self._sent(sent)

    def _sent(self, sent):
        headers = dict(sent["headers"])
        if "Location" in headers:
            return redirect(headers["Location"])
        data = sent["data"]
        return "200 OK", list(headers.items()), data if isinstance(data, str) else "".join(data)


class Request:
    def __init__(self, environ):
        self.path = environ["PATH_INFO"]
        self.query = environ["QUERY_STRING"]
        self.body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode("utf-8")
        is_form = environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded")
        self.form = {name: values[0] for name, values in parse_qs(self.body).items()} if is_form else {}
        cookies = dict(part.split("=", 1) for part in environ.get("HTTP_COOKIE", "").split("; ") if part)
        self.sid = cookies.get("sid") or secrets.token_hex(16)


def redirect(address):
    return "303 See Other", [("Location", address)], ""


def failed(*why):
    return "500 Internal Server Error", [("Content-Type", "text/plain")], " ".join(str(each) for each in why)


def app(environ, start_response):
    request = Request(environ)
    session = SESSIONS.setdefault(request.sid, {})
    if request.path == "/metadata":
        metadata = LIBRARY.metadata()
        text = metadata if isinstance(metadata, str) else metadata.decode("utf-8")
        status, headers, body = "200 OK", [("Content-Type", "text/xml")], text
    elif request.path == "/left":
        status, headers, body = "200 OK", [("Content-Type", "text/html")], "you have left"
    elif request.path == "/page" and LIBRARY.user(session):
        shown = "<p>signed in: <b>" + html.escape(LIBRARY.user(session)) + "</b></p>"
        status, headers, body = "200 OK", [("Content-Type", "text/html")], shown
    else:
        does = {"/page": LIBRARY.login, "/login": LIBRARY.login, "/acs": LIBRARY.acs, "/slo": LIBRARY.slo, "/logout": LIBRARY.logout}
        status, headers, body = does[request.path](request, session)
    # Forms of the identity provider come with this cookie only without the attribute SameSite.
    start_response(status, [*headers, ("Set-Cookie", "sid=" + request.sid + "; HttpOnly")])
    return [body.encode("utf-8")]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


LIBRARY = {"python3-saml": OneLogin, "pysaml2": PySaml2}[KIND]()
with make_server("127.0.0.1", int(BASE.rsplit(":", 1)[1]), app, handler_class=Quiet) as server:
    server.serve_forever()
