"""What Firebase Hosting serves: the page, the Firebase SDK cut to size, and the settings of a deployment."""
