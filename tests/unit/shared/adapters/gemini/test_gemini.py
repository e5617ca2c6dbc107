"""Errors of Gemini, its SDK and the network; tests/contract/test_gemini_language_model.py tests the rest."""

import json

import httpx2
import pytest
from google.auth.exceptions import DefaultCredentialsError, TransportError
from google.genai.errors import APIError, ClientError, ServerError, UnknownApiResponseError
from pydantic import SecretStr, ValidationError

from shared.adapters.gemini import GeminiConnection, VertexProject
from shared.adapters.gemini.errors import translate, vendor_errors
from shared.domain import errors

PRIVATE = "사람이 쓴 글"
BODY = {"error": {"code": 0, "message": PRIVATE, "status": "SOME_STATUS"}}
NOT_FOUND = {"error": {"message": PRIVATE, "status": "NOT_FOUND"}}


class TestErrors:
    def test_of_the_vendor_are_translated_to_one_type_without_their_text(self, subtests):
        cases = {
            errors.ModelRejected: [
                ClientError(400, BODY), httpx2.UnsupportedProtocol(PRIVATE),
                httpx2.InvalidURL(PRIVATE),
            ],
            errors.ModelAccessDenied: [
                ClientError(401, BODY), ClientError(403, BODY), ClientError(404, BODY), ClientError(405, BODY),
                DefaultCredentialsError(PRIVATE),
            ],
            errors.ModelNotFound: [ClientError(404, NOT_FOUND)],
            errors.ModelRateLimited: [ClientError(429, BODY)],
            errors.ModelTimeout: [
                ClientError(408, BODY), ServerError(504, BODY), httpx2.ReadTimeout(PRIVATE), TimeoutError(PRIVATE),
                httpx2.ConnectTimeout(PRIVATE), httpx2.PoolTimeout(PRIVATE),
            ],
            errors.ModelUnavailable: [
                ServerError(500, BODY), APIError(302, {"message": PRIVATE, "status": PRIVATE}), TypeError(PRIVATE),
                UnknownApiResponseError(PRIVATE), json.JSONDecodeError(PRIVATE, PRIVATE, 0), TransportError(PRIVATE),
                httpx2.ConnectError(PRIVATE), httpx2.RemoteProtocolError(PRIVATE), httpx2.DecodingError(PRIVATE),
                ConnectionResetError(PRIVATE),
            ],
        }  # fmt: skip
        for expected, raised in cases.items():
            for error in raised:
                with subtests.test(error=error):
                    assert isinstance(error, vendor_errors())
                    assert type(translate(error)) is expected
                    assert PRIVATE not in translate(error).reason

    def test_of_the_network_in_the_middle_of_a_stream_become_model_stream_broken(self):
        for error in (httpx2.ReadError("x"), httpx2.RemoteProtocolError("x"), UnknownApiResponseError("x")):
            assert type(translate(error, midstream=True)) is errors.ModelStreamBroken


def test_a_connection_needs_a_key_or_a_project_and_not_both():
    vertex = VertexProject(project="p", location="l")
    for fields in ({}, {"api_key": SecretStr(" ")}, {"api_key": SecretStr("k"), "vertex": vertex}):
        with pytest.raises(ValidationError, match="exactly one"):
            GeminiConnection.model_validate(fields)
