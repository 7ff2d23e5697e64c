"""Compiled rays of pictures: what they hit first, and in which colour."""
